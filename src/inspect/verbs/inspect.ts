// rlp agent inspect: shows what a bundle is and may do, from bytes that were held against its digests.
import type { OptionTable } from '../../cli/command.ts'
import { report } from '../../cli/render/report.ts'
import { SYMBOLS } from '../../cli/render/style.ts'
import { namedPath } from '../../io/home.ts'
import { UsageError } from '../../model/error.ts'
import { EXIT, type ExitCode } from '../../model/exit-code.ts'
import { own } from '../../model/own.ts'
import { VERDICTS } from '../../model/verdict.ts'
import { printable } from '../../text/printable.ts'
import { commandOf, defineVerb, needed, type Showing, typedOnly } from '../../verb/index.ts'
import { judgedWith } from '../../verify/bundle-inputs.ts'
import { warningLines } from '../../verify/ends-soon.ts'
import { JUDGING, judgingBy, lookUpRoot } from '../../verify/judging-inputs.ts'
import { type Compared, comparedAt } from '../compared.ts'
import { readableMay } from '../diff.ts'
import { printPage } from '../formats/index.ts'
import { seenBundle } from '../inputs.ts'
import { type InspectResult, inspectedBundle } from '../inspected-bundle.ts'
import { oneTarget, type SeenBundle, seeBundle } from '../look-into.ts'
import { PAGE_OPTIONS, pageFormat } from '../options.ts'
import { makePage } from '../page/make-page.ts'
import { writeSignatureBundles } from '../signature-files.ts'

interface LookedInto {
  readonly seen: SeenBundle
  /** The other version, if one was named. */
  readonly before: Compared | undefined
  readonly result: InspectResult
}

/**
 * Everything that is in a bundle, and the verdict on it, whatever that is; with `against`, what is new since another version.
 *
 * @example
 * const { report, tools } = await inspect('dist/mailer-0.1.0.agent.bundle', { home: false })
 * console.log(report.verdict, tools?.map(({ id, exposed }) => [id, exposed]))
 *
 * @throws {@link RlpError} `NOT_FOUND` and the like for a bundle that cannot be read, `CANCELLED`; for `against` as {@link diff}
 */
export const verb = defineVerb({
  name: 'agent inspect',
  summary: 'signers and contents of a bundle, and what each tool needs',
  called: 'inspect',
  arguments: ['bundle'],
  inputs: {
    bundle: needed(
      seenBundle('a bundle, an unpacked bundle, or the name of an installed agent', {
        doing: 'inspect',
        find: oneTarget,
        names: 'installed',
      }),
    ),
    /** Another version: what is new since then is in `against`. It is compared as {@link diff} compares it. */
    against: seenBundle('another version: what is new since then comes first', {
      doing: 'compare',
      find: oneTarget,
      placeholder: 'OLD',
    }),
    ...JUDGING,
    root: typedOnly(lookUpRoot),
  },
  isLong: true,
  async run({ bundle, against, root, ...asked }, world): Promise<LookedInto> {
    const judging = { ...judgingBy(asked, world), root }
    const source = await bundle(root)
    const seen = await seeBundle(source.target, judgedWith(judging, source))
    const before = against && (await comparedAt(await against(root), judging, world))
    return { seen, before, result: await inspectedBundle(seen, before, world.signal) }
  },
  answer({ seen: { unread }, result }: LookedInto): InspectResult {
    if (unread !== undefined) throw unread
    return result
  },
})

const FLAGS = {
  ...PAGE_OPTIONS,
  'signature-bundle': {
    type: 'string',
    placeholder: 'FOLDER',
    describe: 'write each signature into a file there, as a Sigstore bundle for cosign; no page is made',
  },
} as const satisfies OptionTable

export const command = commandOf(verb, {
  flags: FLAGS,
  first: ['format', 'out', 'force', 'against', 'signature-bundle'],
  ready(args) {
    pageFormat(args)
    refuseNoPage(args)
  },
  examples: [
    ['rlp agent inspect dist/mailer-0.1.0.agent.bundle', 'before it is installed'],
    ['rlp agent inspect mailer', 'the agent that is installed under this name'],
    [
      'rlp agent inspect dist/mailer-0.1.0.agent.bundle --against mailer',
      'what is new since what is installed',
    ],
    ['rlp agent inspect mailer --out mailer.html', 'a page for a reviewer'],
    ['rlp agent inspect mailer --json', 'for a program'],
    [
      'rlp agent inspect dist/mailer-0.1.0.agent.bundle --signature-bundle signatures',
      'its signatures, for other programs',
    ],
  ],
  notes:
    'The verdict of rlp agent verify comes first. The exit code is 0 for every bundle that is sound, whether or not its signers are trusted: rlp agent verify is the gate. It is 1 if the bundle is invalid or its contents cannot be read, and 3 if the file cannot be read.\n\npolicy.caps and the overrides on this host decide whether a need is granted.',
  print: (looked, showing) =>
    showing.args.signatureBundle === undefined
      ? printLooked(looked, showing)
      : printSignatures(looked.seen, showing.args.signatureBundle, showing),
  exit({ result: { report, wrong } }, { args }) {
    const { verdict, reasons } = report
    const isUnread =
      verdict === 'indeterminate' && ['unreadable', 'timed_out'].includes(reasons[0]?.code ?? '')
    if (args.signatureBundle !== undefined) return EXIT.ok
    if (verdict === 'invalid' || isUnread) return VERDICTS[verdict].exit as ExitCode
    return wrong === undefined ? EXIT.ok : EXIT.bundle
  },
})

/** @throws UsageError for what is about a page, where none is made */
function refuseNoPage(args: Readonly<Record<string, unknown>>): void {
  if (own(args, 'signatureBundle') === undefined) return
  const field = ['out', 'format', 'against'].find(option => own(args, option) !== undefined)
  if (field === undefined) return
  throw new UsageError(`Cannot use --${field} with --signature-bundle: no page is made`, {
    field,
    hint: 'Leave one of them out',
  })
}

type ShowingLooked = Showing<typeof verb.inputs, typeof FLAGS>

function printLooked({ seen, before, result }: LookedInto, { args, io }: ShowingLooked): Promise<void> {
  const { report, agent } = seen
  const { against, powers, findings } = result
  const page = () =>
    makePage({
      target: report.target,
      report,
      now: seen.trust.now,
      agent,
      may: readableMay(agent),
      powers: powers ?? undefined,
      inspected: result,
      findings,
      against: before && against && { ...before, diff: against.changes },
    })
  return printPage(args, io, { tool: 'agent.inspect', result, warnings: warningLines([report]), page })
}

async function printSignatures(
  seen: SeenBundle,
  label: string,
  { args, io, style }: ShowingLooked,
): Promise<void> {
  const { force } = args
  const where = { folder: namedPath(label, io.cwd), label, force, signal: io.signal }
  const result = await writeSignatureBundles(seen, where)
  const lineOf = ({ file, signer }: (typeof result.signatures)[number]) =>
    `${style.green(SYMBOLS.ok)} ${printable(`${file}: ${signer}`)}\n`
  report(io, args, {
    tool: 'agent.inspect',
    result,
    text: () => result.signatures.map(lineOf).join(''),
  })
}
