// One seed for the properties of all tests that scripts/test.ts runs: the same cases today and tomorrow. `npm run torture` takes others.
import fc from 'fast-check'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20261120 })
