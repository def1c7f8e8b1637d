// rlp agent attest: any statement about bundles, signed: a scan, a test, an approval.
import { changedEach, each, type Outcome, onlyOne, printFailures, worstExit } from '../../cli/each.ts'
import { report } from '../../cli/render/report.ts'
import { findBundles } from '../../io/find/find-bundles.ts'
import { readInput } from '../../io/read/bounded.ts'
import { UsageError } from '../../model/error.ts'
import { KEY_OPTION, keyMissing } from '../../sign/signing-inputs.ts'
import { predicateWord } from '../../statement/predicates/index.ts'
import { type At, commandOf, defineVerb, type Input, needed, text } from '../../verb/index.ts'
import { eachNamed, searching, targetsOf } from '../../verb/kinds/bundles.ts'
import { jsonOf } from '../../verb/kinds/json.ts'
import { pins } from '../../verify/pin-inputs.ts'
import { type PredicateGiven, refuseType, type StatedPredicate, statePredicate } from '../any-statement.ts'
import { attestingBy, STATED_BUNDLES, STATEMENT_SIGNING } from '../inputs.ts'
import { signedLine } from '../render-stated.ts'

type Predicate = Omit<PredicateGiven, 'type'>

/** A file is read when the signer is known: it may be standard input. */
const predicate: Input<Readonly<Record<string, unknown>> | Uint8Array, () => Promise<Predicate>> = {
  type: 'Readonly<Record<string, unknown>> | Uint8Array',
  typed: {
    type: 'string',
    placeholder: 'FILE',
    describe: 'what is stated: a JSON object; - is standard input',
    optional: true,
  },
  fromTyped:
    (label: string, { world }: At) =>
    async () => ({ predicate: await readInput(label, world), label }),
  fromGiven(given, { field }) {
    const predicate = given instanceof Uint8Array ? given : Buffer.from(jsonOf(given, field))
    return async () => ({ predicate, label: 'predicate' })
  },
}

const { time, ...signing } = STATEMENT_SIGNING

/**
 * States anything about a sound bundle, signed: a scan, a test, an approval.
 *
 * @example
 * await attest('dist/mailer-0.1.0.agent.bundle', { type: 'https://scan.example/v1', predicate: { findings: 0 }, key: 'ci' })
 *
 * @throws {@link RlpError} `USAGE` for a type that is no URI or that only rlp may state, and for what is no JSON object; `LIMIT_EXCEEDED`;
 * `NOT_VERIFIED` for a bundle that is not sound, or not as `lock` pins it; `NOT_FOUND`, `NO_PERMISSION`, `IO` as reading is; as `sign` for the
 * key; `CANCELLED`
 */
export const verb = defineVerb({
  name: 'agent attest',
  summary: 'state anything about bundles, signed: a scan, a test, an approval',
  called: 'attest',
  arguments: ['bundle'],
  inputs: {
    bundle: needed(eachNamed(STATED_BUNDLES, 'attest')),
    /** The predicate type, a URI. */
    type: needed(
      text('what kind of statement it is: its predicate type', { placeholder: 'URI', optional: true }),
    ),
    /** What is stated: a JSON object, or the bytes of one, which are signed as they are. */
    predicate: needed(predicate),
    ...signing,
    /** The name of a key, a PEM file, `env:VAR`, `ssh-agent:KEY`, `command:PROGRAM`, or a signer of the caller's own. */
    key: { ...signing.key, typed: { ...KEY_OPTION, describe: 'sign with this key' } },
    lock: pins,
  },
  isLong: true,
  async run({ bundle, type, predicate, lock, ...asked }, world): Promise<Outcome<StatedPredicate>> {
    const attesting = attestingBy(asked, world)
    if (attesting === undefined) throw keyMissing('attest', world)
    const stated = { type, ...(await predicate()) }
    const targets = await targetsOf(bundle, typed => findBundles(typed, searching(world)))
    const how = { locks: lock, unsigned: asked.keyless !== undefined, attesting, file: asked.attest }
    return each(targets, target => statePredicate(target, stated, how, world))
  },
  answer: (outcome: Outcome<StatedPredicate>): StatedPredicate => onlyOne(outcome),
})

export const command = commandOf(verb, {
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
  ready(args) {
    const { type, predicate } = args as Partial<Record<'type' | 'predicate', string>>
    if (type === undefined || predicate === undefined)
      throw new UsageError(`Cannot attest: --${type === undefined ? 'type' : 'predicate'} is missing`, {
        field: type === undefined ? 'type' : 'predicate',
        hint: 'Name the kind of statement with --type URI, and what is stated with --predicate FILE',
      })
    refuseType(type)
  },
  print(outcome, { asked, args, io }) {
    const { done, failed } = outcome
    report(io, args, {
      tool: 'agent.attest',
      result: changedEach('bundles', outcome),
      quiet: done.map(({ file }) => file),
      text: () => done.map(one => signedLine(predicateWord(asked.type), one, io)).join(''),
    })
    printFailures(io, args, failed)
  },
  exit: ({ failed }) => worstExit([], failed),
})
