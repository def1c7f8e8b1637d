// The demo → the pictures of the README: what a terminal shows at its end, and the page about its bundle. Writes docs/pictures/*.svg.
// Usage: npm run pictures
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUNDLE, STEPS } from './main-job.ts'

const ROOT = resolve(fileURLToPath(import.meta.url), '../..')
/** Everybody's key: a new one would make another picture each time. */
const KEY = 'fixtures/keys/test-only-release.pem'
const SHOWN: readonly string[] = ['the bundle', 'the signature', 'the verdict']

interface Ran {
  readonly stdout: string
  readonly stderr: string
  readonly exit: number | null
}

type Rlp = (
  args: readonly string[],
  where: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) => Promise<Ran>

/** Needs a build. */
const built: Rlp = async (args, { cwd, env }) => {
  const line = [join(ROOT, 'dist/program/rlp.cjs'), ...args]
  const all = { PATH: process.env['PATH'], HOME: cwd, ...env }
  const { stdout, stderr, status } = spawnSync(process.execPath, line, { cwd, encoding: 'utf8', env: all })
  return { stdout, stderr, exit: status }
}

/** By their names in docs/pictures. */
export async function pictures(rlp: Rlp = built): Promise<ReadonlyMap<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'rlp-pictures-'))
  const run = async (args: readonly string[]): Promise<string> => {
    const env = { RUNLOOP_HOME: join(folder, 'home'), NO_COLOR: '1' }
    const { stdout, stderr, exit } = await rlp(args, { cwd: folder, env })
    if (exit !== 0) throw new Error(`rlp ${args.join(' ')} ended with ${exit}: ${stderr}`)
    return stdout
  }
  try {
    // A copy: in a checkout the group may read it, and such a key is refused.
    const key = join(folder, 'release.pem')
    writeFileSync(key, readFileSync(join(ROOT, KEY)), { mode: 0o600 })
    const lines: string[] = []
    for (const [what, args] of STEPS) {
      const isNew = args[0] === 'key'
      const said = await run(isNew ? ['key', 'import', 'release', key, '--no-passphrase'] : args)
      // Without what to do next, which is what follows.
      const [told = ''] = said.split('\n\n')
      if (SHOWN.includes(what)) lines.push(`$ rlp ${args.join(' ')}`, ...told.trimEnd().split('\n'))
    }
    const page = await run(['agent', 'inspect', BUNDLE, '--format', 'html'])
    return new Map([
      ['terminal.svg', terminal(lines)],
      ['review.svg', review(page)],
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const LINE = 20
const CHARACTER = 8.4

function terminal(lines: readonly string[]): string {
  const columns = Math.max(...lines.map(({ length }) => length))
  const [width, height] = [Math.ceil(columns * CHARACTER) + 32, lines.length * LINE + 56]
  const rows = lines.map((line, at) => {
    const y = 56 + at * LINE
    return `<text x="16" y="${y}" xml:space="preserve">${painted(line)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A bundle is packed, signed and verified: trusted">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#e6edf3}.good{fill:#7ee2a0}.soft{fill:#9aa4af}.typed{font-weight:bold}</style>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
<circle cx="20" cy="18" r="6" fill="#ff5f57"/><circle cx="40" cy="18" r="6" fill="#febc2e"/><circle cx="60" cy="18" r="6" fill="#28c840"/>
${rows.join('\n')}
</svg>
`
}

function painted(line: string): string {
  if (line.startsWith('$ ')) return `<tspan class="typed">${escaped(line)}</tspan>`
  const marked = escaped(line).replace(/✓|^trusted\b/gu, '<tspan class="good">$&</tspan>')
  return /^\s+manifest blake3:/.test(line) ? `<tspan class="soft">${marked}</tspan>` : marked
}

/** The page itself, its beginning: browsers draw it as they draw the file. */
function review(page: string): string {
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? []
  const [, main = ''] = /<body>([\s\S]*?)<\/body>/.exec(page) ?? []
  const [width, height] = [780, 690]
  // The time of the picture would make another one each time.
  const drawn = main
    .replace(/made \S+Z by/, 'made by')
    .replaceAll('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="The page about the bundle: who signed it, and what it may do">
<foreignObject width="${width}" height="${height}">
<div xmlns="http://www.w3.org/1999/xhtml" class="page">
<style>${style.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('body{', '.page{height:100%;overflow:hidden;')}</style>
${drawn.trim()}
</div>
</foreignObject>
<path d="M.5.5h${width - 1}v${height - 1}h-${width - 1}z" style="fill:none;stroke:#d0d7de"/>
</svg>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(join(ROOT, 'docs/pictures'), { recursive: true })
  for (const [name, text] of await pictures()) writeFileSync(join(ROOT, 'docs/pictures', name), text)
}
