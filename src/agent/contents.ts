// What reads policy.caps, tools.json and the records of tools, as one part that is loaded on demand.
export { checkRecords } from '../agent-tool/record-shape.ts'
export { readPolicy } from '../policy/read.ts'
export { toolsVersionOf } from '../tools/index.ts'
