/** Formats times, sizes, token counts and money. Pure. */
import * as l10n from "@vscode/l10n";

/** Examples: `12 s`, `2 min 5 s`, `1 h 3 min`. */
export function duration(ms: number): string {
  const s = Math.round(ms / 1_000);
  if (s < 60) return `${s} s`;
  const min = Math.floor(s / 60);
  return min < 60 ? joined(l10n.t`${min} min`, s % 60, "s") : joined(`${Math.floor(min / 60)} h`, min % 60, "min");
}

const joined = (whole: string, rest: number, unit: string): string => (rest === 0 ? whole : `${whole} ${rest} ${unit}`);

/** Examples: `812 bytes`, `1.2 kB`, `34 kB`. For sizes of texts. */
export function textSize(bytes: number): string {
  return bytes < 1_000 || bytes >= 9_950 ? size(bytes).replace("KB", "kB") : `${trimmed(bytes / 1_000)} kB`;
}

/** Examples: `812 bytes`, `34 KB`, `1.2 MB`. */
export function size(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? "1 byte" : l10n.t`${bytes} bytes`;
  return bytes < 999_500 ? `${Math.round(bytes / 1_000)} KB` : `${trimmed(bytes / 1_000_000)} MB`;
}

/** Examples: `950`, `12k`, `1.5M`. */
export function short(count: number): string {
  if (count < 1_000) return String(count);
  return count < 999_500
    ? `${count < 9_950 ? trimmed(count / 1_000) : Math.round(count / 1_000)}k`
    : `${trimmed(count / 1_000_000)}M`;
}

const trimmed = (value: number): string => String(Math.round(value * 10) / 10);

export const grouped = (count: number): string => count.toLocaleString("en-US");

/**
 * Example: `$0.34`. Amounts below a cent get more digits; units that are not currencies (`credits`) follow the number.
 */
export function money(amount: number, currency: string): string {
  const digits = amount !== 0 && Math.abs(amount) < 0.01 ? 4 : 2;
  if (/^[A-Za-z]{3}$/.test(currency)) {
    return new Intl.NumberFormat("en-US", {
      style: "currency",
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(amount);
  }
  return `${new Intl.NumberFormat("en-US", { maximumFractionDigits: digits }).format(amount)} ${currency}`.trim();
}
