/**
 * WebKit for GTK calls the language of the locales C and POSIX "C". `Intl` refuses that name, and uPlot
 * passes it on as it is loaded: no page would start.
 */
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en", configurable: true });
}
