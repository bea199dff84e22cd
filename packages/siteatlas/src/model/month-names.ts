/**
 * Names of months and weekdays in the 20 languages, besides English, that feeds use most. Only in Node: the parser for
 * browsers has to be small, and knows only English names.
 *
 * A name is recognized in upper and lower case, with and without accents, and if it is abbreviated to three letters or
 * more. An abbreviation with several meanings, in one language or in two, is unknown. Month names are in the form that
 * follows a day: the genitive in Slavic languages and Greek, with the nominative where it differs in its first letters.
 */

/** One line per language, January first. Bars separate the forms of one name. */
const MONTHS = `
januar|jänner februar märz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
januari februari maart|mrt april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
januar februar marts april maj juni juli august september oktober november december
januar februar mars april mai juni juli august september oktober november desember
tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
ledna|leden února|únor března dubna května|květen června července|červenec srpna září října|říjen listopadu prosince
január február március április május június július augusztus szeptember október november december
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
января февраля марта апреля мая|май июня июля августа сентября октября ноября декабря
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
januari februari maret april mei juni juli agustus september oktober november desember
يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر`;

const WEEKDAYS = `sonntag montag dienstag mittwoch donnerstag freitag samstag sonnabend dimanche lundi mardi mercredi
jeudi vendredi samedi domingo lunes martes miércoles jueves viernes sábado segunda terça quarta quinta sexta domenica
lunedì martedì mercoledì giovedì venerdì sabato zondag maandag dinsdag woensdag donderdag vrijdag zaterdag söndag måndag
tisdag onsdag torsdag fredag lördag søndag mandag tirsdag lørdag sunnuntai maanantai tiistai keskiviikko torstai
perjantai lauantai niedziela poniedziałek wtorek środa czwartek piątek sobota neděle pondělí úterý středa čtvrtek pátek
vasárnap hétfő kedd szerda csütörtök péntek szombat duminică luni marți miercuri joi vineri sâmbătă pazar pazartesi salı
çarşamba perşembe cuma cumartesi воскресенье понедельник вторник среда четверг пятница суббота вс пн вт ср чт пт сб
неділя понеділок вівторок середа четвер субота нд κυριακή δευτέρα τρίτη τετάρτη πέμπτη παρασκευή σάββατο minggu senin
selasa rabu kamis jumat sabtu الأحد الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت`;

const SHORTEST_MONTH = 3;
const SHORTEST_WEEKDAY = 2;
const AMBIGUOUS = -1;

let months: ReadonlyMap<string, number> | undefined;
let weekdays: ReadonlySet<string> | undefined;

/**
 * Returns the month from 0 to 11, or -1 if the name is unknown or ambiguous. The tables are built at the first call.
 */
export function foreignMonth(name: string): number {
  months ??= readMonths();
  return months.get(plain(name)) ?? -1;
}

export function isForeignWeekday(name: string): boolean {
  weekdays ??= new Set(WEEKDAYS.split(/\s/).flatMap((day) => prefixes(plain(day), SHORTEST_WEEKDAY)));
  return weekdays.has(plain(name));
}

function readMonths(): Map<string, number> {
  const all = new Map<string, number>();
  for (const line of MONTHS.trim().split("\n")) {
    const names = line.split(" ").map((forms) => forms.split("|").map(plain));
    for (const [month, forms] of names.entries()) {
      for (const form of forms) {
        for (const prefix of prefixes(form, SHORTEST_MONTH)) {
          const known = all.get(prefix) ?? month;
          all.set(prefix, known === month ? month : AMBIGUOUS);
        }
      }
    }
  }
  // `mar` is March. It also starts `marraskuu`, the Finnish November, which is never abbreviated to three letters.
  all.set("mar", 2);
  // A full name means its month, even if it is a prefix of another name.
  for (const line of MONTHS.trim().split("\n")) {
    for (const [month, forms] of line.split(" ").entries()) {
      for (const form of forms.split("|").map(plain)) all.set(form, month);
    }
  }
  return all;
}

function prefixes(name: string, shortest: number): string[] {
  const list = [name];
  for (let length = shortest; length < name.length; length++) list.push(name.slice(0, length));
  return list;
}

/** Returns the name in lower case, without accents. */
function plain(name: string): string {
  return name.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
}
