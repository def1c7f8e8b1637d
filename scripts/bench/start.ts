// How long the command takes from nothing: whole processes, against `node` with an empty file.
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeAgent, makeSigned, RLP } from './inputs.ts'
import { alternate, run } from './measure.ts'
import { ms, type Row, times } from './table.ts'

/** What each Node may cost: a ratio where `node` itself is slow to start, else milliseconds above it. */
interface Reach {
  readonly lint: { readonly ratio: number }
  readonly verify: { readonly ratio: number } | { readonly above: number }
}

/** `scripts/install-nodes.sh` installs the others. */
function nodes(): { readonly name: string; readonly path: string; readonly reach: Reach }[] {
  const others = [20, 22, 24, 26].map(major => ({
    name: `node${major}`,
    path: resolve('.nodes/node_modules', `node${major}`, 'bin/node'),
    reach: { lint: { ratio: 1.8 }, verify: major === 20 ? { ratio: 1.7 } : { above: 40 } } satisfies Reach,
  }))
  const [, major = ''] = /^v([0-9]+)/.exec(process.version) ?? []
  const own = others.find(({ name }) => name === `node${major}`)
  const here = own && { ...own, path: process.execPath }
  return [...(here ? [here] : []), ...others.filter(one => one !== own && existsSync(one.path))]
}

export async function startRows(folder: string): Promise<Row[]> {
  const empty = join(folder, 'empty.js')
  writeFileSync(empty, '')
  const agent = makeAgent(folder, { files: { 'README.md': 'For the bench.\n' } })
  const { bundle, home } = makeSigned(folder)
  const env = { RUNLOOP_HOME: home, HOME: home }
  const rows: Row[] = []
  for (const { name, path, reach } of nodes()) {
    const start = (...args: string[]) => run(path, args, { cwd: folder, env })
    const found = await alternate({
      node: () => start(empty),
      version: () => start(RLP, '--version'),
      lint: () => start(RLP, 'agent', 'lint', agent),
      verify: () => start(RLP, 'agent', 'verify', bundle),
    })
    const row = (what: string, time: number, limit: Reach['verify'] | undefined): Row => {
      const ratio = time / found.node
      const above = time - found.node
      const isMet = limit && ('ratio' in limit ? ratio <= limit.ratio : above <= limit.above)
      return {
        what: `${what}, ${name}`,
        rlp: ms(time),
        against: `${ms(found.node)} node, empty file`,
        result: `${times(ratio)}, ${ms(above)} above`,
        reach:
          limit === undefined ? '' : 'ratio' in limit ? `<= ${limit.ratio}x` : `<= ${limit.above} ms above`,
        ...(isMet !== undefined && { isMet }),
      }
    }
    rows.push(
      row('rlp --version', found.version, undefined),
      row('rlp agent lint, 1 clean agent', found.lint, reach.lint),
      row('rlp agent verify, small signed bundle', found.verify, reach.verify),
    )
  }
  return rows
}
