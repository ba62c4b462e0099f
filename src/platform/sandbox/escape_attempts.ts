/**
 * Attempts of a hostile program in the sandbox, as scripts of sh(1). Each exits with 0 if it got what it
 * wanted.
 */

/** Names that the scripts find in their environment; `lookAround` makes what they stand for. */
export interface EscapeTargets {
  /** The svc home, a file of another work tree, one of `/tmp`, the file beside the tree: all hold a secret. */
  readonly OWN: string;
  readonly OTHER: string;
  readonly TEMPORARY: string;
  readonly USER_HOME: string;
  /** A process outside. */
  readonly VICTIM: string;
  /** A listener on 127.0.0.1, and one at a path of `/tmp`. */
  readonly PORT: string;
  readonly SOCKET: string;
  readonly AGENT: string;
  /** Unique: names what a script leaves outside, if it can. */
  readonly MARK: string;
}

export interface EscapeAttempt {
  readonly name: string;
  readonly script: string;
  /** Its exit says nothing: what it left outside does. */
  readonly leaves?: true;
}

const perl = (code: string) => `perl -e '${code}'`;

/** Numbers of system calls by machine: keyctl, io_uring_setup, bpf, ptrace. */
const CALLS: Readonly<Record<string, readonly [number, number, number, number]>> = {
  x86_64: [250, 425, 321, 101],
  aarch64: [219, 425, 280, 117],
};

const reads: readonly EscapeAttempt[] = [
  { name: "read a secret in the svc home", script: 'cat "$OWN"' },
  { name: "read it through /proc/1/root", script: 'cat "/proc/1/root$OWN"' },
  { name: "read it through /proc/self/root", script: 'cat "/proc/self/root$OWN"' },
  { name: "read it through a symlink in the work tree", script: 'ln -s "$OWN" link; cat link' },
  { name: "hard-link it into the work tree", script: 'ln "$OWN" hard && cat hard' },
  { name: "read another work tree", script: 'cat "$OTHER"' },
  { name: "hard-link a file of another work tree", script: 'ln "$OTHER" hard && cat hard' },
  { name: "climb out of the work tree", script: "cat ../secret" },
  { name: "read a file of /tmp", script: 'cat "$TEMPORARY"' },
  {
    name: "read keys of the user",
    script:
      'cd "$USER_HOME" && cat .ssh/* .aws/* .config/gh/* .netrc .gnupg/* .docker/* .kube/*; ' +
      "ls -d .ssh .aws .config/gh .netrc .gnupg .docker .kube | grep .",
  },
  { name: "read the passwords of the machine", script: "cat /etc/shadow" },
  { name: "read the host keys of the machine", script: "cat /etc/ssh/ssh_host_*_key" },
  { name: "read a kernel's memory", script: "head -c1 /dev/mem || head -c1 /proc/kcore" },
  { name: "read a disk", script: "ls /dev/sd* /dev/vd* /dev/nvme* /dev/dm-* | grep ." },
];

const writes: readonly EscapeAttempt[] = [
  { name: "write a hook of git", script: "echo true > .git/hooks/pre-commit" },
  { name: "write git's settings", script: "git config core.fsmonitor /bin/true" },
  { name: "put another folder in the place of .git", script: "mv .git old || rm -rf .git" },
  { name: "mount over .git", script: "mount -t tmpfs none .git" },
  { name: "commit", script: "git -c user.name=a -c user.email=a@b commit --allow-empty -m x" },
  { name: "write the index", script: "touch new; git add new" },
  { name: "write to /etc", script: 'echo x > "/etc/$MARK"' },
  { name: "write to /usr", script: 'echo x > "/usr/bin/$MARK"' },
  // Opening is enough: the kernel runs what the first names as root, and does what the second says.
  {
    name: "open a setting of the kernel for writing",
    script: ": >> /proc/sys/kernel/core_pattern",
  },
  { name: "open the kernel's trigger for writing", script: ": >> /proc/sysrq-trigger" },
  {
    name: "open an interrupt's setting for writing",
    script: ": >> /proc/irq/default_smp_affinity",
  },
  { name: "write to /sys", script: "echo 0 > /sys/kernel/mm/ksm/run || mkdir /sys/fs/cgroup/x" },
  { name: "write to the svc home", script: 'echo changed > "$OWN"', leaves: true },
  { name: "write to another work tree", script: 'echo changed > "$OTHER"', leaves: true },
  { name: "write beside the work tree", script: 'echo x > "../$MARK"', leaves: true },
  { name: "write to the home", script: 'echo x > "$USER_HOME/$MARK"', leaves: true },
  { name: "write to /tmp", script: 'echo x > "/tmp/$MARK"', leaves: true },
  { name: "write to /dev/shm", script: 'echo x > "/dev/shm/$MARK"', leaves: true },
];

const powers: readonly EscapeAttempt[] = [
  { name: "make the root writable", script: "mount -o remount,rw /" },
  { name: "mount a file system", script: "mkdir m; mount -t tmpfs none m" },
  { name: "take a hidden folder's cover off", script: "umount /tmp || umount -l /home" },
  { name: "make a user namespace", script: "unshare --user true" },
  { name: "make a mount namespace", script: "unshare --mount true" },
  { name: "enter other namespaces", script: "nsenter --target 1 --mount --net true" },
  { name: "change the root", script: "chroot / true" },
  { name: "make a device", script: "mknod device c 1 1" },
  { name: "hold a capability", script: "grep -q '^Cap[EPB][a-z]*:.*[1-9a-f]' /proc/self/status" },
  {
    name: "gain privileges by a setuid program",
    script: "grep -q 'NoNewPrivs:.0' /proc/self/status",
  },
  {
    name: "type into the terminal",
    script: perl('open(T,"+<","/dev/tty") or exit 1; $b="x"; exit(ioctl(T,0x5412,$b)?0:1)'),
  },
];

const processes: readonly EscapeAttempt[] = [
  { name: "see other processes", script: 'grep -l "$MARK-victim" /proc/[0-9]*/cmdline' },
  { name: "read their environment", script: 'cat "/proc/$VICTIM/environ"' },
  { name: "kill one", script: 'kill -9 "$VICTIM"', leaves: true },
  { name: "kill all", script: "kill -9 -1", leaves: true },
  {
    name: "leave a process in a session of its own",
    script: 'setsid env -i sh -c ": $MARK-left; sleep 300; :" >/dev/null 2>&1 </dev/null &',
    leaves: true,
  },
  {
    name: "leave a process after two forks",
    script: '(trap "" HUP TERM; (env -i sh -c ": $MARK-left; sleep 300; :" &) ) >/dev/null 2>&1',
    leaves: true,
  },
];

const INET = "use IO::Socket::INET; exit(IO::Socket::INET->new(PeerAddr=>$ENV{TO},Timeout=>2)?0:1)";

const networks: readonly EscapeAttempt[] = [
  { name: "reach a service on this machine", script: `TO="127.0.0.1:$PORT" ${perl(INET)}` },
  { name: "reach another machine", script: `grep -v "lo:\\||" /proc/net/dev | grep .` },
  {
    name: "reach a socket in /tmp",
    script: perl("use IO::Socket::UNIX; exit(IO::Socket::UNIX->new(Peer=>$ENV{SOCKET})?0:1)"),
  },
  { name: "reach an abstract socket", script: "grep @ /proc/net/unix" },
  {
    name: "reach Docker",
    script: "ls /run/docker.sock /run/podman/podman.sock /var/run/docker.sock | grep .",
  },
  { name: "reach D-Bus", script: "ls /run/dbus/system_bus_socket /run/user/*/bus | grep ." },
  { name: "reach the ssh agent", script: 'test -S "$AGENT"' },
  { name: "reach the display", script: "ls /tmp/.X11-unix/* /run/user/*/wayland-* | grep ." },
  { name: "reach the host of a virtual machine", script: perl("exit(socket(S,40,1,0)?0:1)") },
];

function kernelCalls(machine: string): readonly EscapeAttempt[] {
  const numbers = Object.hasOwn(CALLS, machine) ? CALLS[machine] : undefined;
  if (numbers === undefined) return [];
  const [keyctl, uring, bpf, ptrace] = numbers;
  return [
    // KEYCTL_GET_KEYRING_ID of the session's.
    { name: "read the session's keyring", script: perl(`exit(syscall(${keyctl},0,-3,0)<0)`) },
    { name: "use io_uring", script: perl(`$b="\\0"x512; exit(syscall(${uring},1,$b)<0)`) },
    {
      name: "load a program into the kernel",
      script: perl(`$b="\\0"x128; exit(syscall(${bpf},0,$b,128)<0)`),
    },
    // PTRACE_ATTACH.
    {
      name: "trace a process outside",
      script: perl(`exit(syscall(${ptrace},16,$ENV{VICTIM}+0,0,0)<0)`),
    },
  ];
}

export function escapeAttempts(): readonly EscapeAttempt[] {
  return [
    ...reads,
    ...writes,
    ...powers,
    ...processes,
    ...networks,
    ...kernelCalls(Deno.build.arch),
  ];
}

/** Bounds of what follows; small, so that each is met soon. */
export const TRIED_LIMITS = { memory_mb: 64, processes: 24, file_mb: 16, temporary_mb: 16 };

export const EXCESSES: readonly EscapeAttempt[] = [
  { name: "write a large file", script: "dd if=/dev/zero of=large bs=1M count=32" },
  {
    name: "fill the private /tmp",
    script:
      "dd if=/dev/zero of=/tmp/large bs=1M count=15 && dd if=/dev/zero of=/tmp/more bs=1M count=15",
  },
  { name: "hold much memory", script: perl('$x="a"x(256*1024*1024); exit 0') },
  {
    name: "start many processes",
    script: "i=0; while [ $i -lt 60 ]; do sleep 20 & i=$((i+1)); done; wait",
  },
];
