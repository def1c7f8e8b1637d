// rlp agent pack: the canonical archive of one agent or many.
import { dirname, join, resolve } from 'node:path'
import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import { each, failuresOf, printFailures, worstExit } from '../cli/each.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { withProgress } from '../cli/progress.ts'
import { report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { AGENT_OPTIONS, AGENT_PATHS, resolveAgents } from '../cli/targets.ts'
import type { Target } from '../io/find-agents.ts'
import { gzip } from '../io/gzip.ts'
import { makeParents } from '../io/make-parents.ts'
import { writeAtomic } from '../io/write-atomic.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import { UsageError } from '../model/usage-error.ts'
import { archiveBytes, bundleFileName, pack } from './pack.ts'
import { refuseInside, refuseToLose, refuseTwice } from './place.ts'
import { checkPacked } from './render-check.ts'
import { digestJson, type Packed, renderPacked, warningOf } from './render-packed.ts'
import { readPackable } from './source.ts'

const SOURCES = {
  ...AGENT_PATHS,
  describe:
    'an agent’s folder, a folder of agents, a .tar or .tar.gz of one agent, or a name; all of --agents-dir when absent',
  complete: 'file',
} as const satisfies Positional

const OPTIONS = {
  ...AGENT_OPTIONS,
  out: { type: 'string', alias: 'o', placeholder: 'FILE', describe: 'the bundle’s file; for one agent' },
  'out-dir': {
    type: 'string',
    placeholder: 'DIR',
    describe: 'folder for <name>[@variant]-<version>.agent.bundle',
    default: 'dist',
  },
  gzip: { type: 'boolean', describe: 'wrap the archive in gzip for transport; adds .gz to the name' },
  check: {
    type: 'string',
    placeholder: 'BUNDLE',
    describe: 'write nothing; name the first difference to a bundle',
  },
  force: { type: 'boolean', describe: 'replace a file that is signed, or is no bundle' },
} as const satisfies OptionTable

type Args = CommandArgs<typeof OPTIONS, readonly [typeof SOURCES]>

export const command = defineCommand({
  name: 'agent pack',
  summary: 'lint, check digests, write the bundle',
  positionals: [SOURCES],
  options: OPTIONS,
  examples: [
    ['rlp agent pack agents/mailer', 'writes dist/mailer-0.1.0.agent.bundle'],
    ['rlp agent pack --out-dir build', 'all agents in ./agents'],
    ['rlp agent pack mailer-0.1.0.tar.gz', 'a bundle of what another program has packed'],
    ['rlp agent pack mailer --check dist/mailer-0.1.0.agent.bundle', 'is it what these sources give?'],
  ],
  notes:
    'The same sources give the same bytes on every machine: no clock, user, locale or file order gets into a bundle.\n\nRefused when lint has errors or a digest is stale. Warnings do not stop it.\n\nA tar archive is packed as the folder that it would unpack to, without unpacking it. It cannot be edited in place, so its digests are written while it is packed; each one is shown.',
  async run(args, io) {
    const targets = await resolveAgents(args.path, { agentsDir: args.agentsDir, cwd: io.cwd, files: true })
    const isOne = args.out !== undefined || args.check !== undefined
    if (isOne && targets.length > 1) {
      const flag = args.out === undefined ? '--check' : '--out'
      throw new UsageError(`Cannot use ${flag} with ${targets.length} agents`, { hint: 'Name one agent' })
    }
    const [only] = targets
    if (args.check !== undefined && only !== undefined) return checkPacked(only, args.check, args, io)
    const written = new Map<string, string>()
    const { done, failed } = await each(targets, target => packOne(target, written, args, io))
    report(io, args, {
      tool: 'agent.pack',
      result: { bundles: done, ...(failed.length > 0 && { failed: failuresOf(failed) }) },
      warnings: done.flatMap(warningOf),
      text: () => done.map(one => renderPacked(one, createStyle(io.color))).join(''),
    })
    printFailures(io, args, failed)
    return worstExit([], failed)
  },
})

async function packOne(target: Target, written: Map<string, string>, args: Args, io: Io): Promise<Packed> {
  const { label } = target
  const { agent, findings, changes } = await readPackable(target, io)
  const { files } = agent
  const out = args.out ?? join(args.outDir, `${bundleFileName(agent)}${args.gzip ? '.gz' : ''}`)
  const path = resolve(io.cwd, out)
  refuseTwice(written, path, out, label)
  refuseInside(target, path, out)
  await refuseToLose(path, out, args.force)
  const undo = await makeParents(dirname(path))
  const bytes = archiveBytes(files.list)
  const archive = withProgress(pack(agent), `packing ${label}`, bytes, io, args)
  try {
    await writeAtomic(path, args.gzip ? gzip(archive) : archive, { label: out, signal: io.signal })
  } catch (error) {
    await undo()
    throw error
  }
  return {
    agent: label,
    bundle: out,
    files: files.list.length,
    bytes,
    manifestDigest: files.get(MANIFEST_FILE)?.digest ?? '',
    warnings: findings.filter(({ severity }) => severity === 'warning').length,
    ...(changes && { digests: changes.map(digestJson) }),
  }
}
