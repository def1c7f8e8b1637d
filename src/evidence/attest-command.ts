// rlp agent attest: any statement about bundles, signed: a scan, a test, an approval.
import { defineCommand } from '../cli/command.ts'
import { each, failuresOf, printFailures, worstExit } from '../cli/each.ts'
import { leavingOut } from '../cli/render/passed-over.ts'
import { report } from '../cli/render/report.ts'
import { predicateWord } from '../format/evidence/predicates/index.ts'
import { findBundles } from '../io/find/find-bundles.ts'
import { expandHome } from '../io/home.ts'
import { readInput } from '../io/read/input-file.ts'
import type { Signer } from '../model/signer.ts'
import { UsageError } from '../model/usage-error.ts'
import { signerCalled } from '../sign/signing-options.ts'
import { LOCK_OPTIONS, lockOf } from '../verify/judging-options.ts'
import { anyStatement, refuseType } from './any-statement.ts'
import { attest } from './attest.ts'
import { attestationFile } from './given.ts'
import { ATTEST_OPTIONS, keyMissing, STATED_BUNDLES } from './options.ts'
import { signedLine } from './render-stated.ts'
import { soundBundle } from './sound-bundle.ts'

export const command = defineCommand({
  name: 'agent attest',
  summary: 'state anything about bundles, signed: a scan, a test, an approval',
  positionals: [STATED_BUNDLES],
  options: {
    type: {
      type: 'string',
      placeholder: 'URI',
      describe: 'what kind of statement it is: its predicate type',
    },
    predicate: {
      type: 'string',
      placeholder: 'FILE',
      describe: 'what is stated: a JSON object; - is standard input',
    },
    key: { ...ATTEST_OPTIONS.key, describe: 'sign with this key' },
    attest: {
      ...ATTEST_OPTIONS.attest,
      describe: 'where the statement goes; <bundle>.intoto.jsonl if left out',
    },
    ...LOCK_OPTIONS,
  },
  examples: [
    [
      'rlp agent attest dist/mailer-0.1.0.agent.bundle --type https://scan.example/v1 --predicate scan.json --key release',
      'what a scanner has found, beside the bundle',
    ],
  ],
  notes:
    'The bundle has to be sound; whether its signers are trusted is not asked. The predicate is signed as it is written. A trust policy can require a statement of any type ([require] attestations, docs/trust.md), and rlp agent push takes it along.',
  async run(args, io) {
    const { type, predicate: named, key, attest: file } = args
    if (type === undefined || named === undefined)
      throw new UsageError(`Cannot attest: --${type === undefined ? 'type' : 'predicate'} is missing`, {
        field: type === undefined ? 'type' : 'predicate',
        hint: 'Name the kind of statement with --type URI, and what is stated with --predicate FILE',
      })
    if (key === undefined) throw keyMissing()
    refuseType(type)
    const predicate = await readInput(named, io)
    const lock = lockOf(args, io)
    const targets = await findBundles(args.bundle, leavingOut(io, args))
    // Asked for once, and only for a bundle that is sound.
    let signer: Signer | undefined
    const { done, failed } = await each(targets, async target => {
      const { about } = await soundBundle(target, io, { lock, doing: 'attest' })
      const place = attestationFile(target, file === undefined ? undefined : expandHome(file), io)
      signer ??= await signerCalled(key, io)
      const payload = anyStatement(about, { type, predicate, label: named })
      return { bundle: target.label, type, ...(await attest(payload, signer, place, io)) }
    })
    report(io, args, {
      tool: 'agent.attest',
      result: { bundles: done, ...(failed.length > 0 && { failed: failuresOf(failed) }) },
      quiet: done.map(({ file }) => file),
      text: () => done.map(one => signedLine(predicateWord(type), one, io)).join(''),
    })
    printFailures(io, args, failed)
    return worstExit([], failed)
  },
})
