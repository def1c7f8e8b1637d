// rlp agent pack: the canonical archives of one agent or many. What judges bundles and signs statements is loaded where that is asked for.

import { unwrappedName } from '../../bundle/wrappers/index.ts'
import { changedEach, each, type Outcome, onlyOne, printFailures, worstExit } from '../../cli/each.ts'
import { report } from '../../cli/render/report.ts'
import { type Style, SYMBOLS } from '../../cli/render/style.ts'
import type { OpenStating } from '../../evidence/inputs.ts'
import type { StatingGiven } from '../../evidence/provenance.ts'
import type { Target } from '../../io/find/find-agents.ts'
import { placeTyped } from '../../io/layout-folder.ts'
import { type PathGiven, targetGiven } from '../../io/library/caller.ts'
import { UsageError } from '../../model/error.ts'
import { EXIT } from '../../model/exit-code.ts'
import { KEYLESS_OPTIONS } from '../../sign/keyless-inputs.ts'
import { KEY_OPTION } from '../../sign/signing-inputs.ts'
import { printable } from '../../text/printable.ts'
import { writePath } from '../../text/shell-words.ts'
import { plural } from '../../text/words.ts'
import {
  type At,
  asItIs,
  commandOf,
  defineVerb,
  type Facts,
  type Input,
  needed,
  whether,
} from '../../verb/index.ts'
import { agentFolders, agentsDir } from '../../verb/kinds/agents.ts'
import { path } from '../../verb/kinds/paths.ts'
import type { PackCheck } from '../compare.ts'
import { type PackResult, packAgent } from '../pack-agent.ts'
import { digestLines } from '../render-digests.ts'

type PackOutcome = Outcome<PackResult> | { readonly checked: PackCheck }

/** A place to write to, as the caller wrote it; a url as the path that it names. */
function place(describe: string, facts: Facts<'string'>): Input<PathGiven, string | undefined> {
  const named = path(describe, { ...facts, doing: 'pack into' })
  return {
    ...named,
    fromTyped: asItIs<string>,
    fromGiven: async (given, at) => {
      const path = await named.fromGiven?.(given, at)
      return typeof given === 'string' && !/^file:/i.test(given) ? given : path
    },
  }
}

const check: Input<PathGiven, Target | undefined> = {
  type: 'PathGiven',
  typed: {
    type: 'string',
    placeholder: 'BUNDLE',
    names: 'bundle',
    describe: 'write nothing; name the first difference to a bundle',
  },
  fromTyped: (typed: string, { world }: At) => placeTyped(typed, world.cwd),
  fromGiven: (given, { world }) => targetGiven(given, world, 'compare with'),
}

const WITH = 'with --provenance: '

const PROVENANCE_OPTIONS = {
  provenance: { type: 'boolean', describe: 'state who built it, in a file beside the bundle' },
  builder: { type: 'string', placeholder: 'URI', describe: `${WITH}who builds it` },
  source: { type: 'string', placeholder: 'URI', describe: `${WITH}the repository` },
  revision: { type: 'string', placeholder: 'COMMIT', describe: `${WITH}the commit` },
  key: { ...KEY_OPTION, describe: `${WITH}sign the statement: ${KEY_OPTION.describe}` },
  ...KEYLESS_OPTIONS,
  keyless: {
    ...KEYLESS_OPTIONS.keyless,
    describe: `${WITH}${KEYLESS_OPTIONS.keyless.describe.replace('sign', 'sign the statement')}`,
  },
  attest: { type: 'string', placeholder: 'FILE', describe: `${WITH}another file for the statement` },
  time: { type: 'string', placeholder: 'TIME', describe: `${WITH}when it was made, a UTC second` },
} as const

/** Who builds it, and who signs that. */
const provenance: Input<StatingGiven, OpenStating | undefined> = {
  type: 'StatingGiven',
  flags: PROVENANCE_OPTIONS,
  async fromTyped(args: Readonly<Record<string, unknown>>, { world }: At) {
    if (args['provenance']) return (await import('../../evidence/inputs.ts')).builtTyped(args, world)
    const given = {
      ...args,
      'identity-token': args['identityToken'],
      'signing-config': args['signingConfig'],
    }
    const stray = Object.keys(PROVENANCE_OPTIONS).find(flag => Reflect.get(given, flag))
    if (stray === undefined) return undefined
    throw new UsageError(`Cannot use --${stray} without --provenance`, {
      field: stray,
      hint: 'Add --provenance, or state it later with rlp agent provenance',
    })
  },
  fromGiven: async (given, { world }) => (await import('../../evidence/inputs.ts')).builtGiven(given, world),
}

/**
 * Lints an agent's folder, or a tar archive of one, checks its digests, and writes its bundle. The same files give the same bytes on every
 * machine.
 *
 * @example
 * const { bundle, identity } = await pack('agents/mailer', { outDir: 'build' })
 * console.log(bundle, identity)
 * const { difference } = await pack('agents/mailer', { check: bundle })
 * console.log(difference?.detail ?? 'it is the same')
 *
 * @throws {@link RlpError} `LINT_FAILED`, `DIGEST_STALE` when a digest is not that of its file, `EXISTS` when something else is there,
 * `CANCELLED`; with `provenance`, `USAGE` without a builder or a key, and as `sign` for the key; then no bundle has been written
 */
export const verb = defineVerb({
  name: 'agent pack',
  summary: 'lint, check digests, write the bundle',
  called: 'pack',
  arguments: ['path'],
  answers: { check: 'PackCheck', '': 'PackResult' },
  inputs: {
    path: needed(
      agentFolders('pack', {
        describe:
          'an agent’s folder, a folder of agents, a .tar or .tar.gz of one agent, or a name; all of --agents-dir when absent',
        complete: 'file',
      }),
    ),
    agentsDir,
    /** The bundle's file; in `outDir` under its own name where this is left out. */
    out: place('the bundle’s file; for one agent', { alias: 'o' }),
    /** Folder for `<name>[@variant]-<version>.agent.bundle`; `dist` where this is left out. */
    outDir: place('folder for <name>[@variant]-<version>.agent.bundle', {
      placeholder: 'DIR',
      default: 'dist',
    }),
    /** Wrap the archive in gzip for transport; adds `.gz` to the name in `outDir`. */
    gzip: whether('wrap it in gzip for transport; adds .gz to the name'),
    /** A bundle that should be what is packed: nothing is written, and the answer is the first difference. */
    check,
    /** Replace a file that is signed, or is no bundle. */
    force: whether('replace a file that is signed, or is no bundle'),
    /** State who built it, signed by a key, in the file of attestations beside the bundle. */
    provenance,
  },
  isLong: true,
  async run({ path, agentsDir, check, provenance, outDir = 'dist', ...how }, world): Promise<PackOutcome> {
    const targets = await path(agentsDir)
    const isOne = how.out !== undefined || check !== undefined
    if (isOne && targets.length > 1)
      throw new UsageError(
        `Cannot use ${how.out === undefined ? '--check' : '--out'} with ${targets.length} agents`,
        {
          hint: 'Name one agent',
        },
      )
    const [only] = targets
    if (check !== undefined && only !== undefined) {
      if (provenance !== undefined)
        throw new UsageError(
          `Cannot use ${world.spelt('provenance')} with ${world.spelt('check')}: nothing is packed`,
          { field: 'provenance', hint: 'Compare first, then pack' },
        )
      const { comparePacked } = await import('../compare.ts')
      return { checked: await comparePacked(only, check, world) }
    }
    const packing = { ...how, outDir, written: new Map<string, string>(), state: await provenance?.() }
    return each(targets, target => packAgent(target, packing, world))
  },
  answer: (outcome): PackResult | PackCheck => ('checked' in outcome ? outcome.checked : onlyOne(outcome)),
})

export const command = commandOf(verb, {
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
  print(outcome, { args, style, io }) {
    const tool = 'agent.pack'
    if ('checked' in outcome) {
      const { checked } = outcome
      report(io, args, {
        tool,
        result: { bundles: [checked], changed: checked.changed },
        quiet: checked.changed ? undefined : [],
        text: () => comparedText(checked),
      })
      return
    }
    const { done, failed } = outcome
    report(io, args, {
      tool,
      result: changedEach('bundles', outcome),
      warnings: done.flatMap(warningOf),
      quiet: done.map(({ bundle }) => bundle),
      text: () => done.map(one => packedText(one, style)).join('') + nextStep(done, args.quiet),
    })
    printFailures(io, args, failed)
  },
  note: outcome =>
    'checked' in outcome && outcome.checked.changed
      ? 'This is the first difference in the order of the archive; there may be more'
      : undefined,
  exit(outcome) {
    if ('checked' in outcome) return outcome.checked.changed ? EXIT.bundle : EXIT.ok
    return worstExit([], outcome.failed)
  },
})

function comparedText({ agent, bundle, difference }: PackCheck): string {
  const [source, compared] = [printable(agent), printable(bundle)]
  return difference === undefined
    ? `${compared} is what ${source} gives\n`
    : `${compared} is not what ${source} gives\n  ${printable(difference.detail)}\n`
}

function packedText(
  { bundle, files, bytes, identity, digests = [], attested }: PackResult,
  style: Style,
): string {
  const head = `${style.bold(printable(bundle))}  ${plural(files, 'file')}, ${plural(bytes, 'byte')}\n`
  const written =
    digests.length === 0
      ? ''
      : `  ${plural(digests.length, 'digest')} written, which the archive’s manifest did not have:\n${digestLines(digests, style)}`
  const stated =
    attested === undefined
      ? ''
      : `${style.green(SYMBOLS.ok)} ${printable(`${attested.file}: provenance signed by ${attested.signer}`)}\n`
  return `${head}  ${style.dim(`manifest ${identity}`)}\n${written}${stated}`
}

/** The command that comes next, to be pasted. A wrapped bundle is signed before it is wrapped. */
function nextStep(done: readonly PackResult[], quiet: boolean): string {
  const [one] = done
  if (quiet || one === undefined || done.length > 1 || unwrappedName(one.bundle) !== one.bundle) return ''
  return `\nNext, with a key from rlp key generate NAME:\n\n  ${printable(`rlp agent sign ${writePath(one.bundle)} --key NAME`)}\n`
}

/** What to say of an agent that was packed with warnings. */
function warningOf({ agent, warnings, digests }: PackResult): string[] {
  if (warnings === 0) return []
  const where =
    digests === undefined ? `rlp agent lint ${writePath(agent)}` : 'rlp agent lint on the unpacked folder'
  return [`${agent} has ${plural(warnings, 'lint warning')}; ${where} shows them`]
}
