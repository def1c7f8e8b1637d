// Whatever a program hands in as an input of a verb, it gets an answer or an error of ours: no other error leaves a function.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { RlpError } from '../../src/model/error.ts'
import { optionsOf, parametersOf } from '../../src/verb/verb.ts'
import { argumentsOf, callVerb, closeOpened, makeWorld, type World } from '../support/every-verb.ts'
import { temporary } from '../support/folder.ts'
import { slice, upTo } from '../support/runs.ts'
import { DECLARED_VERBS } from '../support/verbs.ts'

const folder = temporary('odd-values')
let world: World
before(async () => {
  world = await makeWorld(folder('world'))
})
after(closeOpened)

/** A value may be taken for a path: it leads nowhere but into the folder of the call. */
const inside = fc.string().map(text => text.replaceAll(/[./~\\]/g, ''))

/** Values of every kind, those among them that look like what is asked for. */
const odd = fc.oneof(
  fc.anything({
    key: inside,
    values: [inside, fc.boolean(), fc.integer(), fc.double(), fc.constantFrom(null, undefined)],
    withBigInt: true,
    withDate: true,
    withMap: true,
    withTypedArray: true,
    withSparseArray: true,
  }),
  fc.constantFrom<unknown>(
    Symbol('odd'),
    () => true,
    new URL('https://a.example'),
    new Proxy({}, {}),
    Object.create(null),
    { sign: 7, key: 7 },
    [[]],
    [undefined],
    '\0',
    'oci://',
  ),
)

for (const { name, verb } of slice(DECLARED_VERBS, 3))
  test(`${name} answers, or throws an error of ours`, async () => {
    const parameters = parametersOf(verb)
    const inputs = [...parameters, ...optionsOf(verb)]
    const given = argumentsOf(name, await world.fresh())
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...inputs), odd, async (input, value) => {
        const at = parameters.indexOf(input)
        const options = (given[parameters.length] ?? {}) as object
        const call =
          at === -1
            ? [...given.slice(0, parameters.length), { ...options, [input]: value }]
            : given.toSpliced(at, 1, value)
        const error = await callVerb(name, call).then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
        assert.ok(error === undefined || error instanceof RlpError, `${input}: ${String(error)}`)
      }),
      { numRuns: upTo(15, 400), seed: 67 },
    )
  })
