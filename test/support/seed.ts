// The seed of all properties in the tests that scripts/test.ts runs. It is always the same, so that a run finds what the last one found;
// `npm run night` takes another one each day.
import fc from 'fast-check'

const seed = Number(process.env['RLP_TEST_SEED'] ?? 20261120)
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
