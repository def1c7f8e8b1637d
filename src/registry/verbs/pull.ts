// rlp agent pull: a bundle from a registry or a layout folder, verified, into a folder.
import { basename, join } from 'node:path'
import { SYMBOLS } from '../../cli/render/style.ts'
import type { PathGiven } from '../../io/library/caller.ts'
import { printable } from '../../text/printable.ts'
import { commandOf, defineVerb, type Input, needed, text, type World, whether } from '../../verb/index.ts'
import { type LabelledFile, labelledFile } from '../../verb/kinds/paths.ts'
import { warningLines } from '../../verify/ends-soon.ts'
import { JUDGING, judgingBy } from '../../verify/judging-inputs.ts'
import { NotVerifiedError } from '../../verify/make-report.ts'
import { judgedRefusal, renderVerification } from '../../verify/render.ts'
import { givenStored, stored } from '../inputs.ts'
import { type PulledBundle, type PullOutcome, pullBundle, UnreadError } from '../pull.ts'

const from = stored('oci://… or oci-layout:…, with a tag or a digest', {
  complete: 'none',
  doing: 'pull',
  hint: 'Write oci://HOST/REPOSITORY:TAG or oci-layout:FOLDER:TAG',
})

const outDir = {
  ...labelledFile('where the file goes', { placeholder: 'DIR', default: '.', doing: 'pull into' }),
  absent: ({ cwd }: World) => ({ path: cwd, label: cwd }),
} as Input<PathGiven, LabelledFile>

/**
 * Fetches a bundle, verifies it while it arrives, and gives it its name only after the verdict.
 *
 * @param from `oci://HOST[:PORT]/REPOSITORY` or `oci-layout:FOLDER`, each with `:TAG`, `@sha256:HEX` or both
 *
 * @example
 * const { bundle, report } = await pull('oci://registry.example/agents/mailer:0.1.0', { outDir: 'bundles' })
 * console.log(bundle, report.carried?.manifest)
 *
 * @throws {@link NotVerifiedError} when its verdict is against it
 * @throws {@link RlpError} `NOT_STORED`, `UNREACHABLE`, `NO_PERMISSION`, `STORE` as the registry is; `EXISTS` for a file with other content;
 * `USAGE` for a reference that is wrong, or implies no agent; `CANCELLED`. Then nothing is written
 */
export const verb = defineVerb({
  name: 'agent pull',
  summary: 'fetch a bundle from a registry, verify it, and put it in a folder',
  called: 'pull',
  arguments: ['from'],
  inputs: {
    from: needed({ ...from, ...givenStored('pull') }),
    /** Where the file goes; the current folder where this is left out. */
    outDir,
    /** Replace a file with other content. */
    force: whether('replace a file with other content'),
    /** Which agent it has to be; `oci://HOST/…/<name>:<version>` implies it. */
    expect: text(
      'which agent it has to be, or blake3:HEX for one bundle; oci://HOST/…/<name>:<version> implies it',
      { placeholder: 'NAME[@VARIANT][@RANGE]' },
    ),
    ...JUDGING,
    /** Keep a sound bundle without signature. */
    allowUnsigned: whether('keep a sound bundle without signature'),
  },
  isLong: true,
  run({ from, outDir, force, expect, allowUnsigned, ...judging }, world): Promise<PullOutcome> {
    const { path, label } = from
    const how = { ...judgingBy(judging, world), label, expect, allowUnsigned }
    return pullBundle({ from: path, folder: outDir, force, judging: how })
  },
  answer: ({ pulled }): PulledBundle => pulled,
})

export const command = commandOf(verb, {
  examples: [
    ['rlp agent pull oci://registry.example/agents/mailer:0.1.0', 'into the current folder'],
    ['rlp agent pull oci-layout:store:0.1.0 --expect mailer --out-dir dist', 'from a layout folder'],
    [
      'rlp agent pull oci://registry.example/agents/mailer@sha256:… --expect mailer@^0.1',
      'pinned by its digest',
    ],
  ],
  notes:
    'The verdict and the exit code are those of rlp agent verify; only what they accept is written. The file is called after the agent in it, with the signatures of reviewers that were added in the registry and whom your policy names. A file of that name stays if it is the same, and is not replaced without --force.',
  warnings: ({ pulled }) => warningLines([pulled.report]),
  quiet: ({ pulled }, { asked }) => [fileIn(asked.outDir, pulled)],
  text({ pulled, isNew }, { asked, style, io }) {
    const file = printable(fileIn(asked.outDir, pulled))
    const done = `${style.green(SYMBOLS.ok)} ${file}${isNew ? '' : ' is there already'}`
    return `${renderVerification(pulled.report, style, io.columns)}${done}\n`
  },
  refused(error, { io }) {
    const isUnread = error instanceof UnreadError
    if (!isUnread && !(error instanceof NotVerifiedError)) return undefined
    const { report } = error
    const unread = isUnread ? error : undefined
    return judgedRefusal(report, { doing: 'pull', unread, extra: { carried: report.carried } }, io)
  },
})

function fileIn({ label }: LabelledFile, { bundle }: PulledBundle): string {
  return join(label, basename(bundle))
}
