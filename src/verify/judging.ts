// What asks trust policies, as one part that is loaded on demand.
export { checkCeiling } from './ceiling.ts'
export { judgeAll } from './judge-policies.ts'
export { revocationsOf } from './revocations.ts'
