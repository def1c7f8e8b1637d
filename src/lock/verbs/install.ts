// rlp agent install: verifies a bundle and puts it into a root, by one rename; or all bundles that locks name.
import type { GlobalArgs, Io } from '../../cli/command.ts'
import { refusedToWrite } from '../../cli/interactive.ts'
import { printRefusal, refuseUnrecorded } from '../../cli/render/refusal.ts'
import { report } from '../../cli/render/report.ts'
import { createStyle } from '../../cli/render/style.ts'
import { installBundle } from '../../install/install.ts'
import {
  type InstallOutcome,
  type InstallResult,
  installAuditEntry,
  installResult,
  isPlaced,
  resultFor,
} from '../../install/outcome.ts'
import { renderedRefusal, renderInstalled } from '../../install/render.ts'
import { bundleSource } from '../../io/reference.ts'
import type { Root } from '../../io/root/root-places.ts'
import { rootFor, rootsFor } from '../../io/root/roots.ts'
import { RlpError, UsageError } from '../../model/error.ts'
import { EXIT } from '../../model/exit-code.ts'
import {
  type At,
  commandOf,
  defineVerb,
  type Input,
  needed,
  text,
  typedOnly,
  whether,
} from '../../verb/index.ts'
import { audit } from '../../verb/kinds/audit.ts'
import { home, path } from '../../verb/kinds/paths.ts'
import type { BundleGiven, BundleTarget } from '../../verify/bundle-input.ts'
import { bundle, judgedWith } from '../../verify/bundle-inputs.ts'
import { warningLines } from '../../verify/ends-soon.ts'
import { JUDGING, judgingBy } from '../../verify/judging-inputs.ts'
import { ROOT_OPTION } from '../../verify/judging-options.ts'
import { type Agreement, askToPrune, heldLocks, mayBegin } from '../ask-install.ts'
import { type HeldLocks, installAll, type WholeOutcome } from '../install-all.ts'
import { printWhole, wholeExit } from '../render-installed.ts'

const source: Input<BundleGiven, BundleTarget | 'all of the locks'> = {
  ...bundle('', 'install'),
  typed: {
    type: 'string',
    names: 'bundle',
    optional: true,
    describe:
      'a bundle (.agent.bundle, .tar, .tar.gz, .tgz), an unpacked bundle, or file://; without it all that the lock names',
  },
  absent: () => 'all of the locks',
  fromTyped: async (typed: string, { world }: At) => ({
    target: await bundleSource(typed, world.cwd),
    attestations: undefined,
  }),
}

/**
 * Verifies a bundle and puts it in the place of its last version, by one rename.
 *
 * @example
 * const { version } = await install('dist/mailer-0.1.0.agent.bundle', {
 *   root: '/srv/agents',
 *   mayBegin: ({ permissions }) => permissions.tools.length === 0,
 * })
 *
 * @throws {@link NotVerifiedError} when its verdict is against it
 * @throws {@link InstallRefusedError} when it is older, has another signer, or may do more than what is there
 * @throws {@link RlpError} `NEEDS_ANSWER` for a first install to which `mayBegin` does not say yes, `NOT_FOUND`, `EXISTS`, `NO_PERMISSION`,
 * `NO_SPACE`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'agent install',
  summary: 'verify a bundle, and put it in the place of its last version',
  called: 'install',
  arguments: ['bundle'],
  inputs: {
    /** Where agents are installed; the folder `agents` of `home` where this is left out. */
    root: path(ROOT_OPTION.describe, { placeholder: 'DIR' }),
    /** Where it is remembered what is installed, beside the user's policy and overrides; `$RUNLOOP_HOME` or `~/.runloop`. */
    home,
    mayBegin,
    /** Replaces a file that rlp did not install, and the same version with other content. */
    force: whether('install again, or replace a file that rlp did not install'),
    /** Judge and compare, ask nothing, and install nothing: the result is what would be installed. */
    dryRun: whether('install nothing: show what would be installed, and what is new in it'),
    /** Which agent it has to be; a file called `<name>-<version>.agent.bundle` implies it. */
    expect: text(
      'which agent it has to be, or blake3:HEX for one bundle; a file called <name>-<version>.agent.bundle implies it',
      { placeholder: 'NAME[@VARIANT][@RANGE]' },
    ),
    trustPolicy: JUDGING.trustPolicy,
    allowDev: JUDGING.allowDev,
    attestations: JUDGING.attestations,
    now: JUDGING.now,
    lock: heldLocks,
    prune: typedOnly(
      whether(
        'with --lock: at last remove what locks of these names have put here and none of them names any more',
      ),
    ),
    allowPruneAll: typedOnly(
      whether('with --prune: also remove all, or more than half, of what a lock has put here'),
    ),
    allowUnsigned: whether('accept a sound bundle without signature'),
    allowDowngrade: whether('accept an older version than was installed, never other content of the same'),
    allowSignerChange: whether('accept another signer than before'),
    allowCapsChange: whether('accept that it may do more than before'),
    /** Unpacks a folder for other runtimes; true where this is left out. */
    unpack: {
      ...whether('leave out the folder for other runtimes beside the file', {
        negatable: true,
        default: true,
      }),
      absent: () => true,
    },
    audit,
    bundle: needed(source),
  },
  isLong: true,
  async run({ bundle, root: named, lock, mayBegin, audit, ...asked }, world): Promise<Installed> {
    const { home, dryRun, expect, allowUnsigned, allowDowngrade } = asked
    const { consents } = lock
    if (bundle === 'all of the locks') refuseNoLocks(lock, expect)
    const root = await rootFor(named, world.cwd, home)
    const call = {
      ...asked,
      root,
      flags: { ...asked, lockConsents: consents },
      judging: {
        ...judgingBy({ ...asked, state: undefined }, world),
        root: named,
        allowUnsigned,
        allowDowngrade,
      },
      mayBegin: mayBegin.toInstall,
    }
    const record = (outcome: InstallOutcome, sha256: string | undefined) =>
      audit?.record(installAuditEntry(outcome, sha256, { root: root.path, lockConsents: consents }))
    // What is only looked at is no decision.
    const isRecorded = audit !== undefined && !dryRun
    if (bundle === 'all of the locks')
      return installAll({
        ...call,
        locks: lock,
        roots: await rootsFor(named, world.cwd, home),
        asks: mayBegin.ask !== undefined && !dryRun && !consents,
        mayPrune: plan => askToPrune(plan, root, mayBegin),
        onDecided: isRecorded ? record : undefined,
      })
    let lost: RlpError | undefined
    const recordOne: typeof record = (outcome, sha256) => {
      try {
        record(outcome, sha256)
      } catch (error) {
        // What is refused is refused in any case, and is told as ever.
        if (!(error instanceof RlpError) || isPlaced(outcome)) throw error
        lost = error
      }
    }
    const { target } = bundle
    const { label, reference } = target
    const judging = { ...call.judging, locks: lock.paths, label, expect: expect ?? reference }
    const outcome = await installBundle({
      ...call,
      source: target,
      judging: judgedWith(judging, bundle),
      onDecided: isRecorded ? recordOne : undefined,
    })
    if (outcome.is === 'not-begun' && mayBegin.ask !== undefined && lost === undefined)
      throw refusedToWrite(`install ${outcome.offer.agent}`)
    return { outcome, root, lost }
  },
  answer(installed): InstallResult {
    const { outcome, root } = installed as InstalledOne
    return resultFor(outcome, root)
  },
})

interface InstalledOne {
  readonly outcome: InstallOutcome
  readonly root: Root
  /** Why the audit log does not have a refusal. */
  readonly lost: RlpError | undefined
}

/** One bundle; or for a command line that names none, all that locks name. */
type Installed = InstalledOne | WholeOutcome

/** @throws UsageError */
function refuseNoLocks({ paths }: HeldLocks, expect: string | undefined): void {
  if (paths.length > 0 && expect === undefined) return
  throw new UsageError(
    paths.length === 0
      ? 'Cannot install: no bundle is named, and no lock'
      : 'Cannot use --expect with all that a lock names: the lock says which agents they are',
    {
      field: paths.length === 0 ? 'bundle' : 'expect',
      hint: 'Name a bundle; or give --lock FILE or --locked, to install all that a lock names',
    },
  )
}

export const command = commandOf(verb, {
  flags: {
    'skip-verify': {
      type: 'refused',
      describe: 'install without verification',
      instead: 'every bundle is verified; --allow-unsigned accepts one without signature',
    },
  },
  examples: [
    ['rlp agent install dist/mailer-0.1.0.agent.bundle', 'shows its permissions, and asks the first time'],
    ['rlp agent install mailer.tgz --expect mailer@^0.2 --yes', 'in a pipeline'],
    ['rlp agent install dist/mailer-0.1.0.agent.bundle --locked --yes', 'only as rlp.lock pins it'],
    ['rlp agent install --lock rlp.lock', 'all that a lock names, as it pins it'],
    ['rlp agent install --lock rlp.lock --dry-run', 'what that would change'],
    [
      'rlp agent install --lock mail.lock --lock sales.lock --prune --yes',
      'a host equal to two locks: what they do not name any more is removed',
    ],
    [
      'rlp agent install dist/mailer-0.2.0.agent.bundle --root /srv/agents --allow-caps-change',
      'into another root, which needs its own consent',
    ],
  ],
  notes:
    'One file, <root>/<name[@variant]>.agent.bundle, is swapped by a rename, so the old or the new one is always in place. The folder beside it is unpacked from the same bytes for runtimes that read folders.\n\nRefused: a bundle that is not trusted, is older than before, has another signer, or may do more than before. A flag allows an unsigned bundle, and each of the other three; it is recorded, and rlp agent list shows it.\n\nA tool does more if it is new, if its method, path or header changes, or if an argument that leaves with a call accepts more values: in a template, in a body, on standard input or in a file. An argument may become narrower; if two schemas cannot be compared, the new one counts as wider.',
  ready: refuseUnused,
  exit(installed, { io }) {
    if ('locks' in installed) return wholeExit(installed)
    return installed.lost ? EXIT.machine : (renderedRefusal(installed.outcome, io)?.exit ?? EXIT.ok)
  },
  print(installed, { asked, args, io }, exit) {
    if ('locks' in installed) printWhole(installed, asked.dryRun, args, io, exit)
    else printOne(installed, asked, args, io)
  },
})

type Flags = GlobalArgs & {
  readonly bundle: string | undefined
  readonly prune: boolean
  readonly allowPruneAll: boolean
}

/** @throws UsageError for --prune without all that locks name, and for what only says something about --prune */
function refuseUnused({ bundle, prune, allowPruneAll }: Flags): void {
  if (prune && bundle !== undefined)
    throw new UsageError('Cannot use --prune with one bundle: it keeps a root equal to whole locks', {
      field: 'prune',
      hint: 'Leave the bundle out, and name each lock of this host with --lock',
    })
  if (allowPruneAll && !prune)
    throw new UsageError('Cannot use --allow-prune-all without --prune: nothing is removed', {
      field: 'allow-prune-all',
      hint: 'Add --prune, or leave it out',
    })
}

function printOne(
  { outcome, root, lost }: InstalledOne,
  { mayBegin, dryRun: isDryRun }: { readonly mayBegin: Agreement; readonly dryRun: boolean },
  args: GlobalArgs,
  io: Io,
): void {
  const tool = 'agent.install'
  const refusal = renderedRefusal(outcome, io)
  if (refusal !== undefined && (lost === undefined || !args.json))
    printRefusal(io, args, { ...refusal, tool })
  if (lost !== undefined) {
    const { verdict, reasons } = outcome.report
    refuseUnrecorded(lost, { tool, extra: { verdict, reasons } }, args, io)
  }
  if (!isPlaced(outcome)) return
  const { report: judged, offer } = outcome
  report(io, args, {
    tool,
    result: installResult(outcome, root),
    warnings: warningLines([judged]),
    quiet: isDryRun ? undefined : [offer.agent],
    text: () =>
      renderInstalled(
        {
          placed: outcome,
          root: root.label,
          wasAsked: mayBegin.ask !== undefined && !isDryRun,
          isDryRun,
        },
        createStyle(io.color),
      ),
  })
}
