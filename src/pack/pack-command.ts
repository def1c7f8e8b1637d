// rlp agent pack: the canonical archives of one agent or many.
import { relative, resolve } from 'node:path'
import type { GlobalArgs, Io } from '../cli/command.ts'
import { defineCommand } from '../cli/command.ts'
import { changedEach, each, printFailures, worstExit } from '../cli/each.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { AGENT_OPTIONS, AGENT_PATHS, resolveAgents } from '../cli/targets.ts'
import { PROVENANCE_OPTIONS, statingOf } from '../evidence/options.ts'
import type { Target } from '../io/find/find-agents.ts'
import { absolute } from '../io/layout-folder.ts'
import { UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { isOciReference } from '../oci/scheme.ts'
import { printable } from '../text/printable.ts'
import { comparePacked } from './compare.ts'
import { packAndState } from './pack-verbs.ts'
import { nextStep, renderPacked, warningOf } from './render-packed.ts'

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
  gzip: { type: 'boolean', describe: 'wrap it in gzip for transport; adds .gz to the name' },
  check: {
    type: 'string',
    placeholder: 'BUNDLE',
    names: 'bundle',
    describe: 'write nothing; name the first difference to a bundle',
  },
  force: { type: 'boolean', describe: 'replace a file that is signed, or is no bundle' },
  ...PROVENANCE_OPTIONS,
} as const satisfies OptionTable

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
    [
      'rlp agent pack mailer --provenance --builder https://ci.example/1 --key ci',
      'and who built it; in GitHub Actions and GitLab CI --builder is known',
    ],
  ],
  notes:
    'The same sources give the same bytes on every machine: no clock, user, locale or file order gets into a bundle.\n\nRefused when lint has errors or a digest is stale. Warnings do not stop it.\n\nA tar archive is packed as the folder that it would unpack to, without unpacking it. It cannot be edited in place, so its digests are written while it is packed; each one is shown.\n\nWith --provenance, the statement is signed before the bundle takes its place: if the builder or the key is missing, nothing is written. rlp agent sign leaves it valid.',
  async run(args, io) {
    const targets = await resolveAgents(args.path, { agentsDir: args.agentsDir, cwd: io.cwd, files: true })
    const isOne = args.out !== undefined || args.check !== undefined
    if (isOne && targets.length > 1) {
      const flag = args.out === undefined ? '--check' : '--out'
      throw new UsageError(`Cannot use ${flag} with ${targets.length} agents`, { hint: 'Name one agent' })
    }
    const stating = await statingOf(args, io)
    const [only] = targets
    if (args.check !== undefined && only !== undefined) return checkPacked(only, args.check, args, io)
    const { out, outDir, gzip, force } = args
    const packing = { out, outDir, gzip, force, written: new Map<string, string>() }
    const { done, failed } = await each(targets, target => packAndState(target, packing, stating, io))
    report(io, args, {
      tool: 'agent.pack',
      result: changedEach('bundles', { done, failed }),
      warnings: done.flatMap(warningOf),
      quiet: done.map(({ bundle }) => bundle),
      text: () =>
        done.map(one => renderPacked(one, createStyle(io.color))).join('') + nextStep(done, args.quiet),
    })
    printFailures(io, args, failed)
    return worstExit([], failed)
  },
})

/** rlp agent pack --check: whether a bundle matches its sources, and the first difference. */
async function checkPacked(target: Target, bundlePath: string, args: GlobalArgs, io: Io): Promise<ExitCode> {
  const path = isOciReference(bundlePath) ? absolute(bundlePath, io.cwd) : resolve(io.cwd, bundlePath)
  const label = isOciReference(bundlePath) ? bundlePath : relative(io.cwd, path)
  const checked = await comparePacked(target, { path, label }, io, bundlePath)
  const { difference, changed } = checked
  report(io, args, {
    tool: 'agent.pack',
    result: { bundles: [checked], changed },
    quiet: difference === undefined ? [] : undefined,
    text: () =>
      difference === undefined
        ? `${printable(bundlePath)} is what ${printable(target.label)} gives\n`
        : `${printable(bundlePath)} is not what ${printable(target.label)} gives\n  ${printable(difference.detail)}\n`,
  })
  if (difference !== undefined)
    note(io, args, 'This is the first difference in the order of the archive; there may be more')
  return difference === undefined ? EXIT.ok : EXIT.bundle
}
