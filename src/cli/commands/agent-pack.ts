// rlp agent pack: the canonical archive of one agent or many.
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { firstDifference } from '../../compare.ts'
import type { Target } from '../../io/find-agents.ts'
import { gzip } from '../../io/gzip.ts'
import { standingAt } from '../../io/inspect-file.ts'
import { makeParents } from '../../io/make-parents.ts'
import { readBundle } from '../../io/read-bundle.ts'
import { readTree } from '../../io/read-tree.ts'
import { writeAtomic } from '../../io/write-atomic.ts'
import { MANIFEST_FILE } from '../../model/agent.ts'
import { RlpError } from '../../model/error.ts'
import { archiveBytes, assertPackable, bundleFileName, pack } from '../../pack.ts'
import { read } from '../../read.ts'
import { countedFindings } from '../../suppress.ts'
import { type CommandArgs, defineCommand, type Io } from '../command.ts'
import { each, failuresOf, printFailures, worstExit } from '../each.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import type { OptionTable } from '../option.ts'
import { withProgress } from '../progress.ts'
import { plural } from '../render/findings.ts'
import { note, report } from '../render/report.ts'
import { printable } from '../render/sanitize.ts'
import { createStyle } from '../render/style.ts'
import { AGENT_OPTIONS, AGENT_PATHS, resolveAgents } from '../targets.ts'
import { UsageError } from '../usage-error.ts'

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

type Args = CommandArgs<typeof OPTIONS, readonly [typeof AGENT_PATHS]>

export const command = defineCommand({
  name: 'agent pack',
  summary: 'lint, check digests, write the bundle',
  positionals: [AGENT_PATHS],
  options: OPTIONS,
  examples: [
    ['rlp agent pack agents/mailer', 'writes dist/mailer-0.1.0.agent.bundle'],
    ['rlp agent pack --out-dir build', 'all agents in ./agents'],
    ['rlp agent pack mailer --check dist/mailer-0.1.0.agent.bundle', 'is it what these sources give?'],
  ],
  notes:
    'The same sources give the same bytes on every machine: no clock, user, locale or file order gets into a bundle.\n\nRefused when lint has errors or a digest is stale. Warnings do not stop it.',
  async run(args, io) {
    const targets = await resolveAgents(args.path, { agentsDir: args.agentsDir, cwd: io.cwd })
    const isOne = args.out !== undefined || args.check !== undefined
    if (isOne && targets.length > 1) {
      const flag = args.out === undefined ? '--check' : '--out'
      throw new UsageError(`Cannot use ${flag} with ${targets.length} agents`, { hint: 'Name one agent' })
    }
    const [only] = targets
    if (args.check !== undefined && only !== undefined) return check(only, args.check, args, io)
    const written = new Map<string, string>()
    const { done, failed } = await each(targets, target => packOne(target, written, args, io))
    report(io, args, {
      tool: 'agent.pack',
      result: { bundles: done, ...(failed.length > 0 && { failed: failuresOf(failed) }) },
      warnings: done.flatMap(({ agent, warnings }) =>
        warnings > 0
          ? [`${agent} has ${plural(warnings, 'lint warning')}; rlp agent lint ${agent} shows them`]
          : [],
      ),
      text: () => done.map(one => render(one, io)).join(''),
    })
    printFailures(io, args, failed)
    return worstExit([], failed)
  },
})

interface Packed {
  readonly agent: string
  readonly bundle: string
  readonly files: number
  /** Of the archive before compression. */
  readonly bytes: number
  /** BLAKE3 of the manifest: the bundle’s identity. */
  readonly manifestDigest: string
  readonly warnings: number
}

async function packOne(target: Target, written: Map<string, string>, args: Args, io: Io): Promise<Packed> {
  const { label } = target
  const files = await readTree(target.path, label, { as: 'source', digest: 'held', signal: io.signal })
  const agent = read(files, label)
  const findings = countedFindings(agent, new Date())
  assertPackable(agent, findings)
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
  }
}

/** Two agents that would get one file name. */
function refuseTwice(written: Map<string, string>, path: string, out: string, label: string): void {
  const other = written.get(path)
  written.set(path, label)
  if (other === undefined) return
  throw new RlpError('EXISTS', `Cannot pack "${label}": ${other} has just been written to ${out}`, {
    hint: 'Give the agents different names or versions',
  })
}

/** An unsigned bundle is made again in no time; a signature or somebody’s other file is not. */
async function refuseToLose(path: string, out: string, force: boolean): Promise<void> {
  const found = await standingAt(path)
  if (found === 'nothing' || found === 'unsigned-bundle') return
  if (found === 'no-file') {
    throw new RlpError('WRONG_FILE_TYPE', `Cannot write "${out}": a folder, a link or a device is there`, {
      hint: 'Choose another name with --out',
    })
  }
  if (force) return
  const what = found === 'signed-bundle' ? 'a signed bundle' : 'another file'
  throw new RlpError('EXISTS', `Cannot write "${out}": ${what} is there`, {
    hint: 'Choose another name with --out, or move it away; --force replaces it',
  })
}

/** A bundle inside the folder that it is made of would be a file of the next one. */
function refuseInside(target: Target, path: string, out: string): void {
  const inner = relative(target.path, path)
  if (inner.startsWith('..') || isAbsolute(inner)) return
  throw new RlpError('USAGE', `Cannot write "${out}": it lies inside the agent’s own folder`, {
    hint: 'Choose a folder outside with --out-dir, for example --out-dir ../dist',
  })
}

async function check(target: Target, bundlePath: string, args: Args, io: Io): Promise<ExitCode> {
  const path = resolve(io.cwd, bundlePath)
  const bundle = await readBundle(path, { keep: 'parsed', signal: io.signal })
  if (bundle.refusal?.why === 'io') {
    throw new RlpError(
      'NOT_FOUND',
      `Cannot compare with "${relative(io.cwd, path)}": ${bundle.refusal.message}`,
    )
  }
  const sources = await readTree(target.path, target.label, {
    as: 'source',
    digest: 'all',
    signal: io.signal,
  })
  const difference = firstDifference(sources, bundle)
  report(io, args, {
    tool: 'agent.pack',
    result: {
      agent: target.label,
      bundle: bundlePath,
      same: difference === undefined,
      difference: difference ?? null,
    },
    text: () =>
      difference === undefined
        ? `${printable(bundlePath)} is what ${printable(target.label)} gives\n`
        : `${printable(bundlePath)} is not what ${printable(target.label)} gives\n  ${printable(difference.detail)}\n`,
  })
  if (difference !== undefined)
    note(io, args, 'This is the first difference in the order of the archive; there may be more')
  return difference === undefined ? EXIT.ok : EXIT.bundle
}

function render({ bundle, files, bytes, manifestDigest }: Packed, io: Io): string {
  const style = createStyle(io.color)
  return `${style.bold(printable(bundle))}  ${plural(files, 'file')}, ${plural(bytes, 'byte')}\n  ${style.dim(`manifest blake3:${manifestDigest}`)}\n`
}
