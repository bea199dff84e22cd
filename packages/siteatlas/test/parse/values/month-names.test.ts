/** Dates with month and day names of other languages, and with ordinals. Only Node knows these names. */
import { expect, test } from "vitest";
import { parseDate } from "../../../src/parse/values/parse-date.ts";

const day = (text: string): string | undefined =>
  parseDate(text, { context: "feed" }).value?.toISOString().slice(0, 10);

test.each([
  ["German", "2. März 2024", "Samstag, 2. März 2024", "Sa 02 Mär 2024"],
  ["French", "2 mars 2024", "samedi 2 mars 2024", "1er mars 2024"],
  ["Spanish", "2 de marzo de 2024", "sábado 2 marzo 2024", "2 marzo 2024"],
  ["Portuguese", "2 de março de 2024", "Sáb, 02 Mar 2024", "2 março 2024"],
  ["Italian", "2 marzo 2024", "sab 2 marzo 2024", "sabato 2 marzo 2024"],
  ["Dutch", "2 maart 2024", "zaterdag 2 maart 2024", "za 2 mrt. 2024"],
  ["Swedish", "2 mars 2024", "lördag 2 mars 2024", "lör 2 mars 2024"],
  ["Danish", "2. marts 2024", "lørdag 2. marts 2024", "lør 2 mar 2024"],
  ["Finnish", "2. maaliskuuta 2024", "lauantai 2. maaliskuuta 2024", "la 2 maalis 2024"],
  ["Polish", "2 marca 2024", "sobota, 2 marca 2024", "sob, 02 mar 2024"],
  ["Czech", "2. března 2024", "sobota 2. března 2024", "2 brezna 2024"],
  ["Hungarian", "2 március 2024", "szombat, 2 március 2024", "szo, 02 márc 2024"],
  ["Romanian", "2 martie 2024", "sâmbătă, 2 martie 2024", "sâm, 02 mart. 2024"],
  ["Turkish", "2 Mart 2024", "Cumartesi, 2 Mart 2024", "Cmt, 02 Mart 2024"],
  ["Russian", "2 марта 2024", "суббота, 2 марта 2024", "Сб, 02 мар 2024"],
  ["Ukrainian", "2 березня 2024", "субота, 2 березня 2024", "сб 02 бер 2024"],
  ["Greek", "2 Μαρτίου 2024", "Σάββατο, 2 Μαρτίου 2024", "Σάβ, 02 Μαρ 2024"],
  ["Indonesian", "2 Maret 2024", "Sabtu, 2 Maret 2024", "Sab, 02 Mar 2024"],
  ["Arabic", "2 مارس 2024", "السبت، 2 مارس 2024".replace("،", ","), "2 مارس 2024"],
])("%s", (_, ...texts) => {
  for (const text of texts) {
    expect([text, day(text)]).toEqual([text, text.startsWith("1er") ? "2024-03-01" : "2024-03-02"]);
    expect(parseDate(text).codes).toEqual(["date.format"]);
  }
});

test.each([
  ["Seg, 24 Set 2018 19:42:40 -0300", "2018-09-24T22:42:40.000Z"],
  ["mer, 16 nov 2022 00:38:15 +0100", "2022-11-15T23:38:15.000Z"],
  ["24 Set 2018 19:42:40 -0300", "2018-09-24T22:42:40.000Z"],
  ["Di, 05 Dez 2023 10:00:00 GMT", "2023-12-05T10:00:00.000Z"],
  ["ven. 1 déc. 2023 10:00:00 GMT", "2023-12-01T10:00:00.000Z"],
  ["Вт, 05 дек 2023 10:00:00 +0300", "2023-12-05T07:00:00.000Z"],
])("%s", (text, instant) => {
  const { value, codes } = parseDate(text, { context: "feed" });
  expect(value?.toISOString()).toBe(instant);
  expect(codes).toEqual(["date.format"]);
});

test("all months, in full and abbreviated", () => {
  const full =
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre|" +
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia|" +
    "ledna února března dubna května června července srpna září října listopadu prosince|" +
    "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık|" +
    "янв фев мар апр мая июн июл авг сен окт ноя дек|ene feb mar abr may jun jul ago sep oct nov dic|" +
    "gen feb mar apr mag giu lug ago set ott nov dic|jan fev mar abr mai jun jul ago set out nov dez";
  for (const names of full.split("|")) {
    const months = names.split(" ").map((name) => day(`2 ${name} 2024`)?.slice(5, 7));
    expect(months).toEqual(Array.from({ length: 12 }, (_, month) => `${month + 1}`.padStart(2, "0")));
  }
});

test("ordinals", () => {
  for (const text of ["September 5th, 2023", "Tuesday, September 5th 2023", "5th September 2023"]) {
    expect(day(text)).toBe("2023-09-05");
  }
  expect(["1st", "2nd", "3rd"].map((nth) => day(`January ${nth}, 2024`))).toEqual([
    "2024-01-01",
    "2024-01-02",
    "2024-01-03",
  ]);
});

test("an abbreviation that means two months, and a word, are no dates", () => {
  for (const text of ["2 jui 2024", "2 červ 2024", "2 foo 2024", "foo 2 mars 2024", "2 urtarrila 2024"]) {
    expect(parseDate(text).codes).toEqual(["date.invalid"]);
  }
});
