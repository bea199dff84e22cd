/** The style sheets of a report and of a single chart: light and dark, for screens of any width and for A4 paper. */
import { colorStyle } from "./colors.ts";

const FONT = `system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif`;

export function pageStyle(): string {
  return `${colorStyle()}\n${CHARTS}${STYLE}`;
}

/** The style sheet of a chart that is a file of its own. */
export function chartStyle(): string {
  return `${colorStyle()}\n${SINGLE_CHART}${CHARTS}`;
}

const SINGLE_CHART = `
text{font-family:${FONT};fill:var(--text);font-size:13px}
.back{fill:var(--card);stroke:var(--line)}
.head{font-size:18px;font-weight:700}
.axis,.sub{fill:var(--soft)}
`;

const CHARTS = `
.map text{font-size:12px}
.on{fill:#fff;font-weight:600}.on-n{fill:#fff;text-anchor:end}
.in{fill:var(--text);font-weight:600}.in-n{fill:var(--text);font-size:11px}
.axis{fill:var(--soft);font-size:12px}.end{text-anchor:end}
.grid{stroke:var(--line);stroke-width:1}
.hit{fill:transparent}.hit:hover{fill:var(--text);fill-opacity:.08}
.mark{fill:var(--text)}.mark-n{fill:var(--card);font-size:11px;font-weight:700;text-anchor:middle}
.cal rect{width:11px;height:11px;rx:2px}
.map g g:hover rect{stroke:var(--text);stroke-width:1.5}
.h0{fill:var(--empty)}
`;

const STYLE = `
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 ${FONT}}
main,header,footer{max-width:1200px;margin:0 auto;padding:0 24px}
header{padding-top:32px}
.logo{display:block;height:44px;width:auto;max-width:min(280px,100%);object-fit:contain;object-position:left;margin:0 0 14px}
@media screen and (prefers-color-scheme:dark){.logo{background:#fff;border-radius:8px;padding:6px 10px;box-sizing:content-box}}
h1{font-size:30px;line-height:1.2;margin:0;overflow-wrap:anywhere}
h2{font-size:18px;margin:0 0 2px}
h3{font-size:15px;margin:22px 0 6px}
p{margin:0 0 10px}
a{color:var(--link)}
.soft,.lead,.note,dt,.sub{color:var(--soft)}
.sub{margin:4px 0 14px;overflow-wrap:anywhere}
.headline{font-size:18px;line-height:1.5;max-width:62em;margin:0 0 18px}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:18px 20px}
section.card{margin:0 0 16px;min-width:0}
.lead{max-width:75em}
.caveat{border-left:4px solid var(--warning);margin:0 0 16px}
.caveat ul{margin:6px 0 0;padding-left:20px}
.tiles{display:grid;grid-template-columns:repeat(6,minmax(0,1fr));gap:12px;margin:0 0 16px}
.tiles .card{padding:14px 16px}
dd{margin:0}
dd.big{font-size:25px;font-weight:700;line-height:1.3;letter-spacing:-.01em;overflow-wrap:anywhere}
.tiles .soft{font-size:13.5px;overflow-wrap:anywhere}
.pair{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:16px;align-items:start}
svg{display:block;width:100%;height:auto}
svg text{font-family:inherit}
.narrow{display:none}
.marks{border-top:1px solid var(--line);margin-top:10px}
.marks h3{margin-top:12px}.marks ol{margin:0 0 6px;padding-left:24px}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;padding:0;margin:0 0 8px}
.legend li{display:flex;align-items:center;min-width:0;overflow-wrap:anywhere}
.swatch{display:inline-block;width:11px;height:11px;flex:none;margin-right:7px}
.weeks{display:flex;flex-direction:column;gap:10px}
.cal{max-width:470px}
.scale{display:flex;align-items:center;gap:8px;color:var(--soft);font-size:13.5px;margin-top:8px}
.scale svg{width:78px}
table{border-collapse:collapse;width:100%}
caption{text-align:left}
th{text-align:left;font-weight:600}
.rows th,.rows td,details th,details td{padding:7px 10px;border-top:1px solid var(--line);vertical-align:top}
.rows thead th,details thead th{border-top:0;color:var(--soft);font-size:13.5px}
.rows tbody th,details tbody th{font-weight:400;overflow-wrap:anywhere}
.d{white-space:nowrap}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.bars th{font-weight:400;white-space:nowrap;padding:3px 12px 3px 0}
.bars td{padding:3px 0 3px 12px}
.bar{width:45%;min-width:60px;vertical-align:middle}
.rows .bar{width:14%;padding-top:14px}
#sitemaps tbody th{min-width:15em}
.hbar{height:8px;border-radius:4px;overflow:hidden}
.facts th{font-weight:400;padding:3px 12px 3px 0}.facts td{padding:3px 0 3px 12px}
.matrix{border-collapse:separate;border-spacing:2px;min-width:420px}
.matrix tbody th{font-weight:400;padding-right:8px;overflow-wrap:anywhere;min-width:90px}
.m{text-align:center;padding:5px 6px;font-variant-numeric:tabular-nums;line-height:1.25}
.m small{display:block;font-size:12px}
td.m{border-radius:5px}
.m0{color:var(--soft)}.m1{background:var(--m1)}.m2{background:var(--m2)}.m3{background:var(--m3)}
.tag{border:1px solid var(--line);border-radius:9px;padding:1px 8px;font-size:13px;white-space:nowrap}
.error,.warning,.info,.good{font-weight:650;white-space:nowrap}
.error{color:var(--error)}.warning{color:var(--warning)}.info{color:var(--soft)}.good{color:var(--good)}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.9em}
.url{overflow-wrap:anywhere;max-width:24em}
.l1{padding-left:24px!important}.l2{padding-left:42px!important}.l3{padding-left:60px!important}.l4,.l5,.l6{padding-left:78px!important}
.deltas{font-size:17px}.deltas b{font-size:22px;margin-left:18px}.deltas b:first-child{margin-left:0}
details{margin-top:12px}
summary{cursor:pointer;color:var(--link);width:fit-content;padding:2px 0}
summary:focus-visible,.scroll:focus-visible,a:focus-visible{outline:2px solid var(--link);outline-offset:2px}
details .scroll{max-height:420px;overflow:auto;margin-top:6px}
.scroll{overflow-x:auto;position:relative}
.card{position:relative}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.made{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:4px 20px;margin:0}
.made dd{overflow-wrap:anywhere}
footer{padding:4px 24px 40px;color:var(--soft);font-size:13.5px}
@media(max-width:1000px){.tiles{grid-template-columns:repeat(3,minmax(0,1fr))}.pair{grid-template-columns:minmax(0,1fr);gap:0}}
@media(max-width:640px){
body{font-size:15px}
main,header,footer{padding-left:12px;padding-right:12px}
header{padding-top:18px}h1{font-size:24px}
.headline{font-size:16.5px}
.card{padding:14px}
.tiles{grid-template-columns:repeat(2,minmax(0,1fr));gap:8px}
.tiles .card{padding:11px 12px}dd.big{font-size:22px}
.wide{display:none}.narrow{display:block}
#sitemaps .rows{min-width:820px}
.findings thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.findings tr{display:grid;grid-template-columns:1fr auto;border-top:1px solid var(--line);padding:8px 0}
.findings td{border:0;padding:2px 0}.findings td:nth-child(2),.findings td:nth-child(4){grid-column:1/-1}.findings td:nth-child(3){grid-row:1;grid-column:2}
.made{grid-template-columns:minmax(0,1fr)}.made dd{margin-bottom:6px}
}
@page{size:A4;margin:12mm}
@media print{
body{background:#fff;font-size:11px}
main,header,footer{max-width:none;padding:0}
.card{border-color:#cfd6e0;padding:10px 12px}section.card{margin-bottom:8px}
h2,.lead,thead{break-after:avoid}p{margin-bottom:5px}
section.card,.tiles .card,tr,.marks li{break-inside:avoid}
#sitemaps,#findings,#check{break-inside:auto}
.headline{font-size:13px}h1{font-size:22px}h2{font-size:14px}dd.big{font-size:17px}.tiles .soft{font-size:10px}
.tiles{grid-template-columns:repeat(6,minmax(0,1fr));gap:6px}.tiles .card{padding:8px}
.pair{grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:8px}
h3{font-size:12px}.matrix{min-width:0;font-size:10px}.m{padding:2px}.m small,.scale,.tag{font-size:9px}.wide .axis{font-size:14px}.wide{overflow:visible}
.matrix tbody th{min-width:0;padding-right:2px}.swatch{width:8px;height:8px;margin-right:4px}
.bar{min-width:0}.rows .bar{width:10%;padding-top:8px}#sitemaps tbody th{min-width:0;width:40%}
.rows thead th{font-size:10px}
.wide{display:block}.narrow{display:none}
details:not([open]){display:none}
.scroll{overflow:visible}
.rows th,.rows td{padding:4px 6px}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
`;
