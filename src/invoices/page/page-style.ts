/** The page's only style sheet: A4 and phones, light or dark as the reader prefers, printed always light. */
import { readableAccent } from '../../catalog/accent.ts';

const PAPER = { light: '#ffffff', dark: '#1a1d24' };

/** The style sheet in the accent color of an app, adjusted to be readable on light and dark paper. */
export function styleOf(accentColor: string | null): string {
  const [light, dark] = [PAPER.light, PAPER.dark].map((paper) =>
    accentColor === null ? undefined : readableAccent(accentColor, paper),
  );
  if (!light || !dark) return pageStyle;
  const own = ({ accent, onAccent }: { accent: string; onAccent: string }) =>
    `:root{--deed:${accent};--on-deed:${onAccent}}`;
  return `${pageStyle}${own(light)}@media (prefers-color-scheme:dark){${own(dark)}}@media print{${own(light)}}`;
}

export const pageStyle = `
:root{color-scheme:light dark;--ink:#16181d;--soft:#5b6270;--line:#dfe2e8;--paper:#fff;--ground:#f3f4f7;--deed:#1f4fd8;--on-deed:#fff;--warn:#a33a10;--good:#0b6b3a}
@media (prefers-color-scheme:dark){:root{--ink:#eceef2;--soft:#a2a9b8;--line:#343945;--paper:#1a1d24;--ground:#101217;--deed:#8aa8ff;--on-deed:#0b0e14;--warn:#ff9d73;--good:#6fd6a0}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:46rem;margin:2rem auto;padding:2.5rem;background:var(--paper);border:1px solid var(--line);border-radius:12px}
header{display:flex;flex-wrap:wrap;gap:1rem;justify-content:space-between;align-items:flex-start}
h1{margin:0;font-size:1.6rem;line-height:1.2;overflow-wrap:anywhere}
.from{margin:0 0 .25rem;color:var(--soft);overflow-wrap:anywhere}
.status{margin:0;padding:.2rem .7rem;border:1px solid currentColor;border-radius:99px;font-weight:600}
.paid{color:var(--good)}.past_due,.void,.uncollectible{color:var(--warn)}
.lead{margin:1rem 0 1.5rem;font-size:1.1rem}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(12rem,1fr));gap:1rem;margin:0 0 1.5rem}
dt{color:var(--soft);font-size:.85rem}dd{margin:0;overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.6rem .4rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:top;font-weight:400;white-space:nowrap}
th:first-child{text-align:left;white-space:normal;overflow-wrap:anywhere;hyphens:auto}
thead th{color:var(--soft);font-size:.85rem}
tfoot th:first-child{text-align:right}
th span{display:block;color:var(--soft);font-size:.85rem}
.total th,.total td{border-bottom:0;font-size:1.15rem;font-weight:700}
.memo{white-space:pre-wrap;overflow-wrap:anywhere;color:var(--soft)}
.branded{border-top:4px solid var(--deed)}.logo{display:block;max-width:200px;max-height:48px;margin-bottom:1.25rem}
footer{margin-top:2rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--soft);font-size:.85rem;overflow-wrap:anywhere}
button{width:100%;margin-top:1.5rem;padding:.9rem;border:0;border-radius:8px;background:var(--deed);color:var(--on-deed);font:inherit;font-weight:700;cursor:pointer}
button:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
@media (max-width:34rem){main{margin:0;padding:1.25rem;border:0;border-radius:0;min-height:100vh}th,td{padding:.5rem .25rem;font-size:.9rem}}
@page{size:A4;margin:18mm}
@media print{:root{--ink:#000;--soft:#444;--line:#bbb;--paper:#fff;--ground:#fff;--warn:#000;--good:#000}main{max-width:none;margin:0;padding:0;border:0}form{display:none}tr{break-inside:avoid}}
`;
