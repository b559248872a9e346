// SPDX-License-Identifier: GPL-3.0-or-later
// The look of a report.
#include "core/report/look.h"

#include "core/charts/svg.h"

namespace cudal1::report {

namespace {

// Hues are those of Okabe and Ito, which people with any colour vision can tell apart; for text they are darkened or
// lightened until the contrast with the ground is at least 4.5 to 1, for bars of a timeline 3 to 1.
const char* const pageStyle = R"css(
:root { color-scheme: light dark; --ground: #ffffff; --panel: #f6f7f9; --line: #dde1e6; --text: #1b1f24; --soft: #57606a;
  --gain: #00694d; --loss: #a84300; --warn: #7a5200; --link: #005a94; --code: #f6f7f9; --removed: #fbe3d9; --added: #d9f2e8;
  --g1: #0072b2; --g3: #b87d00; --g4: #bf6b99; --g5: #2a8fce; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14171b; --panel: #1d2127; --line: #363c45; --text: #e8eaed; --soft: #a3abb5;
    --gain: #4fd0a8; --loss: #ff9a5c; --warn: #f0c050; --link: #79bdf0; --code: #1a1e23; --removed: #4a2a1c; --added: #16392f;
    --g1: #3f9fdc; --g3: #f0b030; --g4: #d992ba; --g5: #7cc8f2; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body { margin: 0 auto; max-width: 76rem; padding: 2.5rem 2rem 4rem; background: var(--ground); color: var(--text);
  font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .25rem; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 3rem 0 .75rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.75rem 0 .5rem; }
p { margin: .5rem 0; max-width: 48rem; }
a { color: var(--link); text-decoration: none; }
a:hover, a:focus { text-decoration: underline; }
.soft, .facts dt, figcaption, .rule { color: var(--soft); }
.rule, figcaption, .small { font-size: .875rem; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.25rem; margin: 1rem 0; font-size: .9rem; }
.facts dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 1rem; margin: 2rem 0 1rem; }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.25rem; }
.card b { display: block; font-size: 2rem; line-height: 1.25; font-weight: 650; font-variant-numeric: tabular-nums; }
.card b small { font-size: 1rem; font-weight: 400; color: var(--soft); }
.card span { display: block; font-size: .85rem; color: var(--soft); line-height: 1.4; }
.card span.name { color: var(--text); font-size: .9rem; font-weight: 600; }
@media (max-width: 56rem) { body { padding: 1.25rem 1rem 3rem; } }
figure { margin: 0 0 1.5rem; max-width: 60rem; }
figure svg { width: 100%; height: auto; display: block; }
.ink-surface { fill: var(--ground); } .ink-text { fill: var(--text); } .ink-muted { fill: var(--soft); } .ink-grid { fill: var(--line); }
.line-text { stroke: var(--text); } .line-muted { stroke: var(--soft); } .line-grid { stroke: var(--line); } .line-surface { stroke: var(--ground); }
.label, .side { font: 12px system-ui, "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif; fill: var(--soft); font-variant-numeric: tabular-nums; }
.side { fill: var(--text); font-weight: 600; } .window { stroke: var(--soft); }
.g1 { fill: var(--g1); } .g3 { fill: var(--g3); } .g4 { fill: var(--g4); } .g5 { fill: var(--g5); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .4rem .75rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: baseline; }
th { font-weight: 600; white-space: nowrap; border-bottom: 2px solid var(--line); }
td.num, th.num { text-align: right; white-space: nowrap; }
tbody tr:hover { background: var(--panel); }
th button { all: unset; cursor: pointer; font: inherit; }
th button:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
th[aria-sort=ascending] button::after { content: " \2191"; } th[aria-sort=descending] button::after { content: " \2193"; }
.gain { color: var(--gain); } .loss { color: var(--loss); } .warn { color: var(--warn); }
.sign { display: inline-block; width: 1.1em; margin-right: .15em; text-align: center; }
.interval { color: var(--soft); font-size: .8rem; white-space: nowrap; }
s { color: var(--soft); }
.task { border-top: 1px solid var(--line); margin-top: 3rem; }
.task h2 { margin-top: 1.5rem; }
.tag { display: inline-block; border: 1px solid var(--line); border-radius: 99px; padding: 0 .6em; margin: 0 .25em .25em 0; font-size: .8rem;
  white-space: nowrap; }
.words { white-space: pre-wrap; overflow-wrap: anywhere; max-width: 60rem; }
.reason { color: var(--text); border-left: 3px solid var(--warn); padding: .1rem 0 .1rem .9rem; margin: .6rem 0; }
.reason.loss { border-color: var(--loss); }
.reason.soft { border-color: var(--line); }
.reason code { color: var(--soft); font-size: .8rem; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1.1rem; overflow-x: auto; margin: .5rem 0;
  font: 13px/1.5 ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; tab-size: 4; }
pre.diff span { display: inline-block; min-width: 100%; }
pre.diff .removed { background: var(--removed); } pre.diff .added { background: var(--added); } pre.diff .gap { color: var(--soft); }
pre.diff mark { color: inherit; background: none; font-weight: 700; text-decoration: underline; }
caption { text-align: left; color: var(--soft); font-size: .875rem; padding: .5rem 0; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--link); }
footer { margin-top: 4rem; border-top: 1px solid var(--line); padding-top: 1rem; color: var(--soft); font-size: .85rem; }
@media print {
  :root { --ground: #fff; --panel: #f6f7f9; --line: #ccc; --text: #000; --soft: #444; --gain: #00694d; --loss: #a84300; --link: #000; --code: #fff; }
  body { font-size: 10.5pt; padding: 0; max-width: none; } pre { white-space: pre-wrap; font-size: 8.5pt; }
  h2, h3 { break-after: avoid; } tr, .card, figure { break-inside: avoid; } .task { break-before: page; }
  th button::after { content: "" !important; } }
)css";

// Classes that timelines use, as on a light screen.
const char* const drawingStyle =
    ".label{font-family:'Noto Sans','DejaVu Sans',sans-serif;font-size:12px;fill:#57606a} "
    ".side{font-family:'Noto Sans','DejaVu Sans',sans-serif;font-size:12px;fill:#1b1f24;font-weight:bold} "
    ".window{stroke:#57606a} "
    ".g1{fill:#0072b2} .g3{fill:#b87d00} .g4{fill:#bf6b99} .g5{fill:#2a8fce}";

} // namespace

const char* const sortScript = R"js(
document.querySelectorAll("table.sortable th button").forEach(function (button) {
  button.addEventListener("click", function () {
    var th = button.closest("th"), table = th.closest("table"), body = table.tBodies[0];
    var column = Array.prototype.indexOf.call(th.parentNode.children, th);
    var down = th.getAttribute("aria-sort") ? th.getAttribute("aria-sort") === "ascending" : th.classList.contains("num");
    table.querySelectorAll("th").forEach(function (other) { other.removeAttribute("aria-sort"); });
    th.setAttribute("aria-sort", down ? "descending" : "ascending");
    var key = function (row) {
      var cell = row.children[column], value = cell.getAttribute("data-v");
      return value === null ? cell.textContent.trim().toLowerCase() : Number(value);
    };
    var order = function (a, b) { return a > b ? 1 : b > a ? -1 : 0; };
    Array.from(body.rows)
      .sort(function (a, b) { return down ? order(key(b), key(a)) : order(key(a), key(b)); })
      .forEach(function (row) { body.appendChild(row); });
  });
});
)js";

QString styleSheet()
{
    // The charts' own colours are those of a light page; the page's variables have what follows the theme on paper too.
    QString dark;
    for (int at = int(charts::Ink::Reference); at <= int(charts::Ink::Level3); ++at)
        dark += QStringLiteral("  .ink-%1 { fill: %2; } .line-%1 { stroke: %2; }\n")
                    .arg(QLatin1String(charts::nameOf(charts::Ink(at))),
                         QLatin1String(charts::darkPalette()[std::size_t(at)]));
    return QString::fromUtf8(pageStyle) + QStringLiteral("@media screen and (prefers-color-scheme: dark) {\n") + dark +
           QStringLiteral("}\n");
}

QString printable(const QString& svg)
{
    const qsizetype end = svg.indexOf(QLatin1Char('>'), svg.indexOf(QLatin1String("<svg"))) + 1;
    return svg.left(end) + QLatin1String("<style>") + QLatin1String(drawingStyle) + QLatin1String("</style>") +
           svg.mid(end);
}

} // namespace cudal1::report
