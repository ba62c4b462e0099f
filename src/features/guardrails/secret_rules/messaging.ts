/** Secret rules for chat, mail, telephony and social networks. */
import { isPlaceholder } from "svc/features/guardrails/placeholder.ts";
import {
  drawnInBothCases,
  entropy,
  looksDrawn,
  wordShare,
} from "svc/features/guardrails/randomness.ts";
import { named, type SecretRule, token, UUID } from "./rule.ts";

const SLASH = "\\\\?/";

/** `MT`, `Mz`, … : base64 of the first digits of a Discord id, which is a decimal number. */
const DISCORD_STARTS = ["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"].flatMap((two) =>
  [..."AEIMQUYcgk"].map((third) => two + third)
);
const HEX_DIGITS = [..."0123456789abcdef"];

function decodesToDigits(token: string): boolean {
  try {
    return /^\d{16,20}$/.test(
      atob((token.split(".")[0] ?? "").replace(/-/g, "+").replace(/_/g, "/")),
    );
  } catch {
    return false; // not base64, so no Discord id
  }
}

export const messagingRules = (): readonly SecretRule[] => [
  token({
    id: "slack-bot-token",
    about: "Slack bot token",
    prefix: "xoxb-",
    body: "(?:\\d{8,14}-)?[A-Za-z0-9-]{18,80}",
    example: (draw) => `${draw.digits(12)}-${draw.digits(13)}-${draw.base62(24)}`,
    check: (secret) => /\d{8}/.test(secret),
    lookalikes: () => ["xoxb-your-bot-token-goes-here"],
  }),
  token({
    id: "slack-user-token",
    about: "Slack user, workspace or legacy token",
    prefix: ["xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xwfp-"],
    body: "[A-Za-z0-9%-]{20,400}",
    example: (draw) => `${draw.digits(12)}-${draw.digits(12)}-${draw.digits(13)}-${draw.hex(32)}`,
    // Ids of teams and users have runs of digits.
    verbatim: true,
    check: (secret) =>
      /\d{4}|[A-Za-z0-9%]{24}/.test(secret) && !/x{4}|X{4}/.test(secret) &&
      !isPlaceholder(secret.slice(secret.lastIndexOf("-") + 1)),
  }),
  token({
    id: "slack-workspace-token",
    about: "Slack workspace access or refresh token of the old form",
    prefix: ["xoxa-", "xoxr-"],
    body: "(?:\\d-)?[A-Za-z0-9]{8,48}(?![\\w-])",
    example: (draw) => `2-${draw.base62(24)}${draw.digits(3)}`,
    check: (secret) => (secret.slice(5).match(/\d/g)?.length ?? 0) >= 2 && entropy(secret) >= 2.8,
    lookalikes: () => ["xoxa-workspace-token", "xoxr-1-refresh"],
  }),
  token({
    id: "slack-config-token",
    about: "Slack configuration access or refresh token",
    prefix: ["xoxe.xoxp-", "xoxe.xoxb-", "xoxe-"],
    body: "\\d-[A-Za-z0-9]{100,220}",
    example: (draw) => `1-${draw.base62(165)}`,
  }),
  token({
    id: "slack-app-token",
    about: "Slack app-level token",
    prefix: "xapp-",
    body: "\\d-[A-Z0-9]{6,16}-\\d{8,16}-[A-Za-z0-9]{40,80}",
    example: (draw) => `1-A${draw.upper(10)}-${draw.digits(13)}-${draw.hex(64)}`,
  }),
  {
    id: "slack-webhook-url",
    about: "Slack webhook",
    kind: "structured",
    keywords: ["hooks.slack"],
    pattern: new RegExp(
      `hooks\\.slack(?:-gov)?\\.com${SLASH}(?<secret>(?:services|workflows|triggers)${SLASH}[A-Z0-9]{8,14}${SLASH}[A-Za-z0-9]{8,20}${SLASH}[A-Za-z0-9]{18,44}(?:${SLASH}[A-Za-z0-9]{18,44})?)`,
    ),
    examples: (draw) => [
      `https://hooks.slack.com/services/T${draw.upper(8)}/B${draw.upper(10)}/${draw.base62(24)}`,
    ],
    lookalikes: () => [
      `https://hooks.slack.com/services/T00000000/B00000000/${"X".repeat(24)}`,
      "https://hooks.slack.com/services/",
    ],
  },
  {
    id: "discord-bot-token",
    about: "Discord bot token",
    kind: "structured",
    keywords: DISCORD_STARTS,
    pattern: /[MNO][A-Za-z0-9]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![\w-])/,
    check: decodesToDigits,
    examples: (draw) => [
      `DISCORD_TOKEN=${btoa(draw.digits(18))}.${draw.base62(6)}.${draw.url64(38)}`,
    ],
    lookalikes: (draw) => [`MTAbc.${draw.base62(6)}.${draw.base62(27)}`],
  },
  named({
    id: "discord-token",
    about: "Discord bot token or client secret, named",
    name: "discord|bot_token",
    keywords: ["discord", "bot_token"],
    value:
      "[A-Za-z0-9]{23,28}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}|[A-Za-z0-9_-]{32}|[0-9a-f]{64}",
    check: (secret, { match }) => /token|secret|key/i.test(match) && looksDrawn(secret),
    example: (draw) => ["DISCORD_CLIENT_SECRET", draw.url64(32)],
  }),
  {
    id: "discord-webhook-url",
    about: "Discord webhook",
    kind: "structured",
    keywords: ["discord.com", "discordapp.com"],
    pattern: new RegExp(
      `discord(?:app)?\\.com${SLASH}api${SLASH}(?:v\\d{1,2}${SLASH})?webhooks${SLASH}(?<secret>\\d{15,20}${SLASH}[A-Za-z0-9_-]{60,80})`,
    ),
    openLeft: true,
    examples: (draw) => [`https://discord.com/api/webhooks/${draw.digits(18)}/${draw.url64(68)}`],
    lookalikes: () => ["https://discord.com/api/webhooks/123456789012345678/your-webhook-token"],
  },
  {
    id: "telegram-bot-token",
    about: "Telegram bot token",
    kind: "structured",
    keywords: [":AA"],
    openLeft: true,
    pattern: /(?<=(?<head>(?<!\d)\d{8,10})):AA[A-Za-z0-9_-]{33}(?![\w-])/,
    examples: (draw) => [
      `TELEGRAM_BOT_TOKEN=${draw.digits(10)}:AA${draw.url64(33)}`,
      `https://api.telegram.org/bot${draw.digits(9)}:AA${draw.url64(33)}/getMe`,
    ],
    lookalikes: (draw) => [`${draw.digits(3)}:AA${draw.base62(33)}`],
  },
  named({
    id: "telegram-token",
    about: "Telegram bot token, named",
    name: "telegram|tg_|bot_?token|api\\.telegram\\.org/bot",
    keywords: ["telegram", "tg_", "bot_token", "bottoken"],
    value: "\\d{5,16}:[A-Za-z0-9_-]{35}",
    example: (draw) => ["TELEGRAM_TOKEN", `${draw.digits(9)}:A${draw.url64(34)}`],
  }),
  {
    id: "twilio-api-key",
    about: "Twilio API key",
    kind: "structured",
    keywords: HEX_DIGITS.map((digit) => `SK${digit}`),
    pattern: /SK[0-9a-f]{32}(?![\w-])/,
    examples: (draw) => [`TWILIO_API_KEY=SK${draw.hex(32)}`],
    lookalikes: (draw) => [`SK${draw.hex(30)}`, `TASK${draw.hex(32)}`],
  },
  named({
    id: "twilio-auth-token",
    about: "Twilio auth token or key secret, named",
    name: "twilio",
    keywords: ["twilio"],
    value: "[0-9a-f]{32}|[A-Za-z0-9]{32}",
    check: (secret, { match }) => /token|secret|key|auth/i.test(match) && looksDrawn(secret),
    example: (draw) => ["TWILIO_AUTH_TOKEN", draw.hex(32)],
    lookalikes: (draw) => [`TWILIO_ACCOUNT_SID=AC${draw.hex(32)}`],
  }),
  {
    id: "twilio-auth-token",
    about: "Twilio auth token beside its account SID",
    kind: "structured",
    keywords: HEX_DIGITS.map((digit) => `AC${digit}`),
    pattern:
      /AC[0-9a-f]{32}[^\w]{1,8}(?:[A-Za-z_]{4,20}[^\w]{1,8})?(?<secret>[0-9a-f]{32})(?![\w-])/,
    examples: (draw) => [`twilio(AC${draw.hex(32)}, "${draw.hex(32)}")`],
    lookalikes: (draw) => [`AC${draw.hex(32)}`],
  },
  token({
    id: "sendgrid-api-key",
    about: "SendGrid API key",
    prefix: "SG.",
    body: "[A-Za-z0-9_-]{20,24}\\.[A-Za-z0-9_-]{39,50}",
    example: (draw) => `${draw.url64(22)}.${draw.url64(43)}`,
  }),
  token({
    id: "mailgun-api-key",
    about: "Mailgun private API key",
    prefix: "key-",
    body: "(?:[0-9a-f]{32}|(?=[a-z]{0,42}\\d)[0-9a-z]{32})",
    example: (draw) => draw.hex(32),
    check: (secret) => (secret.match(/\d/g)?.length ?? 0) >= 3,
  }),
  named({
    id: "mailgun-signing-key",
    about: "Mailgun key of three hex groups, named",
    name: "mailgun|mg_",
    keywords: ["mailgun", "mg_"],
    value: "[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}|[0-9a-f]{32}",
    example: (draw) => ["MAILGUN_API_KEY", `${draw.hex(32)}-${draw.hex(8)}-${draw.hex(8)}`],
  }),
  {
    id: "mailchimp-api-key",
    about: "Mailchimp API key",
    kind: "structured",
    keywords: ["-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"],
    pattern: /(?<=(?<head>[0-9a-f]{32}))-us\d{1,2}(?!\w)/,
    examples: (draw) => [`MAILCHIMP_API_KEY=${draw.hex(32)}-us${draw.pick([6, 12, 21])}`],
    lookalikes: (draw) => [`${draw.hex(12)}-us6`, "region: aws-us1"],
  },
  token({
    id: "mandrill-api-key",
    about: "Mandrill API key",
    prefix: "md-",
    body: "(?=[A-Za-z_-]{0,42}\\d)(?=[a-z0-9_-]{0,42}[A-Z])[A-Za-z0-9_-]{22}(?![\\w-])",
    example: (draw) => `${draw.digits(1)}Q${draw.base62(20)}`,
  }),
  token({
    id: "brevo-api-key",
    about: "Brevo (Sendinblue) API or SMTP key",
    prefix: ["xkeysib-", "xsmtpsib-"],
    body: "[0-9a-f]{64}-[A-Za-z0-9]{16}",
    example: (draw) => `${draw.hex(64)}-${draw.base62(16)}`,
  }),
  token({
    id: "resend-api-key",
    about: "Resend API key",
    prefix: "re_",
    body: "(?=\\w{0,42}\\d)[A-Za-z0-9]{8}_[A-Za-z0-9]{20,28}",
    example: (draw) => `${draw.base62(7)}7_${draw.base62(24)}`,
  }),
  {
    id: "microsoft-teams-webhook",
    about: "Microsoft Teams incoming webhook",
    kind: "structured",
    keywords: ["webhook.office.com", "outlook.office.com"],
    pattern: new RegExp(
      `(?:webhook|outlook)\\.office\\.com${SLASH}webhook(?:b2)?${SLASH}(?<secret>${UUID}@${UUID}${SLASH}IncomingWebhook${SLASH}[0-9a-f]{32}${SLASH}${UUID}(?:${SLASH}[\\w-]{40,80})?)`,
    ),
    openLeft: true,
    examples: (draw) => [
      `https://acme.webhook.office.com/webhookb2/${draw.uuid()}@${draw.uuid()}/IncomingWebhook/${
        draw.hex(32)
      }/${draw.uuid()}`,
    ],
    lookalikes: () => ["https://acme.webhook.office.com/webhookb2/"],
  },
  {
    id: "chat-webhook-url",
    about: "Google Chat, Zapier, Feishu or DingTalk webhook",
    kind: "structured",
    keywords: [
      "chat.googleapis.com",
      "hooks.zapier.com",
      "oapi.dingtalk.com",
      "open.feishu.cn",
      "open.larksuite",
    ],
    pattern:
      /chat\.googleapis\.com\/v1\/spaces\/[\w-]{6,20}\/messages\?key=(?<secret>[\w%&=.-]{40,200})|hooks\.zapier\.com\/hooks\/catch\/\d{5,9}\/\w{6,10}|oapi\.dingtalk\.com\/robot\/send\?access_token=[0-9a-f]{64}|open\.(?:feishu\.cn|larksuite\.com)\/open-apis\/bot\/v2\/hook\/[0-9a-f-]{36}/,
    examples: (draw) => [`https://oapi.dingtalk.com/robot/send?access_token=${draw.hex(64)}`],
    lookalikes: () => ["https://hooks.zapier.com/hooks/catch/"],
  },
  token({
    id: "facebook-access-token",
    about: "Facebook or Instagram access token",
    prefix: ["EAACEdEose0cBA", "EAA", "IGQV", "IGAA"],
    body: "(?<![A-Za-z0-9/](?:EAA|IGQV|IGAA))[A-Za-z0-9]{60,400}",
    example: (draw) => draw.base62(160),
    check: (secret) =>
      entropy(secret) >= 4.4 && (secret.match(/A/g)?.length ?? 0) < secret.length / 8,
  }),
  {
    id: "facebook-app-token",
    about: "Facebook app access token: app id, bar, secret",
    kind: "structured",
    keywords: ["|", "%7c"].flatMap((bar) => [..."0123456789"].map((digit) => `${digit}${bar}`))
      .flatMap((end) => [..."0123456789"].map((digit) => `${digit}${end}`)),
    pattern: /(?<=(?<head>(?<!\w)\d{13,14}))\d\d(?:\||%7[Cc])[A-Za-z0-9_-]{27}(?![\w-])/,
    check: (secret) => drawnInBothCases(secret) && wordShare(secret) < 0.5,
    examples: (draw) => [`access_token=${draw.digits(15)}|${draw.base62(25)}4k`],
    lookalikes: (draw) => [`${draw.digits(15)}|${draw.lower(12)}`, `| ${draw.digits(15)}|name |`],
  },
  named({
    id: "facebook-app-secret",
    about: "Facebook app secret or app token, named",
    name: "facebook|fb_|instagram",
    keywords: ["facebook", "fb_", "instagram"],
    value: "[0-9a-f]{32}|\\d{15,16}\\|[A-Za-z0-9_-]{27}",
    example: (draw) => ["FACEBOOK_APP_SECRET", draw.hex(32)],
  }),
  {
    id: "twitter-bearer-token",
    about: "X (Twitter) bearer token",
    kind: "structured",
    keywords: ["AAAAAAAAAAAAAAAAAAAAA"],
    pattern: /A{19,24}[A-Za-z0-9%]{60,110}/,
    verbatim: true,
    check: (secret) => looksDrawn(secret) && /[a-z]/.test(secret) && !/A{30}/.test(secret),
    examples: (
      draw,
    ) => [`TWITTER_BEARER_TOKEN=${"A".repeat(22)}${draw.base62(30)}%3D${draw.base62(50)}`],
    lookalikes: () => [`data: ${"A".repeat(200)}`],
  },
  named({
    id: "social-network-secret",
    about: "Key or secret of X, LinkedIn, Twitch, Spotify, Reddit, Pinterest or Line, named",
    name:
      "twitter|x_api|linked_?-?in|twitch|spotify|reddit|pinterest|snapchat|tiktok|line_channel|vk_|flickr|etsy|vimeo",
    keywords: [
      "twitter",
      "x_api",
      "linkedin",
      "linked_in",
      "linked-in",
      "twitch",
      "spotify",
      "reddit",
      "pinterest",
      "tiktok",
      "line_channel",
      "flickr",
      "etsy",
      "vimeo",
    ],
    value:
      "\\d{15,25}-[A-Za-z0-9]{20,42}|[A-Za-z0-9]{50}|[A-Za-z0-9]{45}|[0-9a-f]{32}|[A-Za-z0-9]{30}|[A-Za-z0-9_-]{27}|[A-Za-z0-9]{24,25}|[A-Za-z0-9]{16}|[A-Za-z0-9+/]{160,180}={0,2}|[A-Z0-9]{35}|WPL_AP1\\.[\\w.=+/]{16,40}",
    check: (secret, { match }) =>
      /key|secret|token|auth/i.test(match) && looksDrawn(secret) && /[A-Za-z]/.test(secret) &&
      wordShare(secret) < 0.5, // else a name of the program, such as a class of a provider
    example: (draw) => ["LINKEDIN_CLIENT_SECRET", `${draw.base62(15)}7`],
  }),
  named({
    id: "messaging-service-key",
    about: "Key of a mail, push or telephony service without a prefix, named",
    name:
      "message_?-?bird|vonage|nexmo|plivo|postmark|sparkpost|mailjet|pusher|ably|sendbird|onesignal|one_signal|klaviyo|customer_?io|mattermost|zendesk|freshdesk|intercom|front_app|webex|zoom|gitter|agora|stream_api",
    keywords: [
      "messagebird",
      "message_bird",
      "message-bird",
      "vonage",
      "nexmo",
      "plivo",
      "postmark",
      "sparkpost",
      "mailjet",
      "pusher",
      "ably_",
      "sendbird",
      "onesignal",
      "one_signal",
      "klaviyo",
      "customerio",
      "customer_io",
      "mattermost",
      "zendesk",
      "freshdesk",
      "intercom",
      "webex",
      "zoom_",
      "gitter",
      "agora_",
      "stream_api",
    ],
    value:
      `[A-Za-z0-9=_-]{60}|[0-9a-f]{40}|[A-Za-z0-9_-]{40}|[A-Za-z0-9]{32}|[a-z0-9]{26}|[A-Za-z0-9]{25}|${UUID}|pk_[0-9a-f]{34}|os_v2_app_[a-z0-9]{50,110}|[A-Za-z0-9]{16,20}|[\\w-]{6}\\.[\\w-]{6}:[\\w-]{20,45}`,
    check: (secret, { match }) =>
      /key|secret|token|auth|passw/i.test(match) && looksDrawn(secret) && !/key_?id/i.test(match),
    example: (draw) => ["POSTMARK_SERVER_TOKEN", draw.uuid()],
  }),
];
