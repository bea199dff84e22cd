/** Messages of the library name its options, such as `limits.urls`. This file replaces them by flags. */
import { type LimitName, limitText } from "../../model/limits.ts";
import { flagOfLimit } from "../config/flags.ts";

const BREACH = /\b\d+(?: \w+)?; limits\.(\w+) allows ([\d.]+)/g;

/** Replaces each part of the text such as `101; limits.urls allows 100` by `--max-pages 100`. */
export function withLimitFlags(text: string): string {
  return text.replace(BREACH, (found, option: string, limit: string) => {
    const flag = flagOfLimit(option);
    return flag === undefined ? found : `${flag} ${limitText(option as LimitName, Number(limit))}`;
  });
}
