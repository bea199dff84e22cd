/**
 * Names of HTML 4 entities that texts rarely contain: Greek letters, arrows, mathematical symbols. Only used in Node,
 * because the parser for browsers has to be small. parse/xml/entities.ts describes the format.
 */

export const RARE_SYMBOLS: string =
  " 0a4 curren 0a6 brvbar 0a8 uml 0aa ordf 0af macr 0b1 plusmn sup2 sup3 acute micro para 0b8 cedil sup1 " +
  "ordm 178 Yuml 192 fnof 2c6 circ 2dc tilde 3c2 sigmaf 3d1 thetasym upsih 3d6 piv 2002 ensp emsp 2009 " +
  "thinsp 200c zwnj zwj lrm rlm 2020 dagger Dagger 2030 permil 2032 prime Prime 2039 lsaquo rsaquo 203e " +
  "oline 2044 frasl 2111 image 2118 weierp 211c real 2135 alefsym 2190 larr uarr rarr darr harr 21b5 " +
  "crarr 21d0 lArr uArr rArr dArr hArr 2200 forall 2202 part exist 2205 empty 2207 nabla isin notin 220b " +
  "ni 220f prod 2211 sum minus 2217 lowast 221a radic 221d prop infin 2220 ang 2227 and or cap cup int " +
  "2234 there4 223c sim 2245 cong 2248 asymp 2260 ne equiv 2264 le ge 2282 sub sup nsub 2286 sube supe " +
  "2295 oplus 2297 otimes 22a5 perp 22c5 sdot 2308 lceil rceil lfloor rfloor 2329 lang rang 25ca loz 2660 " +
  "spades 2663 clubs 2665 hearts diams";

export const RARE_LETTERS: string =
  " 3b1 alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho 3c3 sigma " +
  "tau upsilon phi chi psi omega";
