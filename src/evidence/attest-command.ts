// rlp agent attest: any statement about bundles, signed: a scan, a test, an approval.
import { defineCommand } from '../cli/command.ts'
import { changedEach, each, printFailures, worstExit } from '../cli/each.ts'
import { leavingOut } from '../cli/render/passed-over.ts'
import { report } from '../cli/render/report.ts'
import { findBundles } from '../io/find/find-bundles.ts'
import { expandHome } from '../io/home.ts'
import { readInput } from '../io/read/bounded.ts'
import { UsageError } from '../model/error.ts'
import { predicateWord } from '../statement/predicates/index.ts'
import { LOCK_OPTIONS, locksOf } from '../verify/judging-options.ts'
import { refuseType, statePredicate } from './any-statement.ts'
import type { Attesting } from './attest.ts'
import { ATTEST_OPTIONS, attestingIn, isSigned, keyMissing, STATED_BUNDLES } from './options.ts'
import { signedLine } from './render-stated.ts'

const { time: _, ...SIGNERS } = ATTEST_OPTIONS

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
    ...SIGNERS,
    key: { ...SIGNERS.key, describe: 'sign with this key' },
    ...LOCK_OPTIONS,
  },
  examples: [
    [
      'rlp agent attest dist/mailer-0.1.0.agent.bundle --type https://scan.example/v1 --predicate scan.json --key release',
      'what a scanner has found, beside the bundle',
    ],
    [
      'rlp agent attest dist --type https://scan.example/v1 --predicate scan.json --keyless --yes',
      'the same of each bundle, with the identity of a pipeline',
    ],
  ],
  notes:
    'The bundle has to be sound; whether its signers are trusted is not asked. The predicate is signed as it is written. A trust policy can require a statement of any type ([require] attestations, docs/trust.md), and rlp agent push takes it along.',
  async run(args, io) {
    const { type, predicate: named, attest: file } = args
    if (type === undefined || named === undefined)
      throw new UsageError(`Cannot attest: --${type === undefined ? 'type' : 'predicate'} is missing`, {
        field: type === undefined ? 'type' : 'predicate',
        hint: 'Name the kind of statement with --type URI, and what is stated with --predicate FILE',
      })
    if (!isSigned(args)) throw keyMissing()
    refuseType(type)
    const predicate = await readInput(named, io)
    const locks = await locksOf(args, io)
    const targets = await findBundles(args.bundle, leavingOut(io, args))
    // The key is asked for once.
    let signer: Attesting | undefined
    const attesting = async () => {
      signer ??= await attestingIn(args, io)
      if (signer === undefined) throw keyMissing()
      return signer
    }
    const how = {
      locks,
      unsigned: args.keyless,
      attesting,
      file: file === undefined ? undefined : expandHome(file),
    }
    const { done, failed } = await each(targets, target =>
      statePredicate(target, { type, predicate, label: named }, how, io),
    )
    report(io, args, {
      tool: 'agent.attest',
      result: changedEach('bundles', { done, failed }),
      quiet: done.map(({ file }) => file),
      text: () => done.map(one => signedLine(predicateWord(type), one, io)).join(''),
    })
    printFailures(io, args, failed)
    return worstExit([], failed)
  },
})
