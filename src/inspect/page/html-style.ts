// The style sheet of the page: in the dark, on paper, and from 320 pixels on.

export const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--paper:#fff;--line:#d0d7de;--box:#f6f8fa;--new:#6639ba;--new-box:#f3ecff;
--bad:#b3161b;--bad-box:#fdecea;--good:#116329;--warn:#7d4e00;--warn-box:#fff4d6}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4af;--paper:#0d1117;--line:#3d444d;--box:#161b22;--new:#cdb4ff;
--new-box:#2a1f45;--bad:#ff9a92;--bad-box:#3b1513;--good:#7ee2a0;--warn:#f0c35a;--warn-box:#332605}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem;margin:.5rem 0 0;overflow-wrap:anywhere}
h2{font-size:1.125rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line);padding-bottom:.25rem}
p{margin:.25rem 0}
code{font:.875em/1.4 ui-monospace,monospace;background:var(--box);border-radius:.25rem;padding:.05em .3em;overflow-wrap:anywhere}
ul{list-style:none;margin:0;padding:0}
li{padding:.3rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
li li{border:0;padding:.15rem 0 .15rem 1.25rem}
summary{cursor:pointer}
.soft{color:var(--soft)}
.verdict{border:2px solid;border-left-width:.75rem;border-radius:.25rem;padding:.75rem 1rem;margin:1rem 0}
.verdict strong{font-size:1.25rem}
.is-good{border-color:var(--good)}.is-bad{border-color:var(--bad);background:var(--bad-box)}
.is-unclear{border-color:var(--warn);background:var(--warn-box)}
.mark{display:inline-block;font-size:.75rem;font-weight:700;line-height:1.3;border:1px solid;border-radius:.25rem;padding:0 .35em;margin-right:.4em}
.new{color:var(--new);background:var(--new-box);border-style:dashed;border-width:2px}.gone{color:var(--soft);text-decoration:line-through}
.danger,.bad{color:var(--bad);background:var(--bad-box)}.warning{color:var(--warn);background:var(--warn-box)}.good{color:var(--good)}
figure{margin:1rem 0}
.wide{overflow-x:auto}
.narrow{display:none;color:var(--soft);font-size:.875rem}
svg{display:block;min-width:44rem;width:100%;height:auto}
/* Where the picture is cut off its edge fades; the room at its end keeps the last boxes out of the fade. */
@media screen and (max-width:46rem){.narrow{display:block}.wide{mask-image:linear-gradient(to right,#000 calc(100% - 3rem),#0000)}
svg{min-width:47rem;padding-right:3rem}}
svg text{fill:var(--ink);font:13px system-ui,sans-serif}svg .small{fill:var(--soft);font-size:11px}
svg rect{fill:var(--box);stroke:var(--soft)}svg path{fill:none;stroke:var(--soft)}
svg .alarm rect{fill:var(--bad-box);stroke:var(--bad);stroke-width:2}
svg .fresh rect{fill:var(--new-box);stroke:var(--new);stroke-width:2.5;stroke-dasharray:6 3}
svg .fresh.alarm rect{fill:var(--bad-box);stroke:var(--bad)}
svg path.fresh{stroke:var(--new);stroke-width:2.5;stroke-dasharray:6 3}
figcaption{color:var(--soft);font-size:.875rem}
@media print{main{max-width:none;padding:0}details::details-content{content-visibility:visible;block-size:auto}li{break-inside:avoid}svg{min-width:0}}
`.trim()
