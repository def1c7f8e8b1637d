// All functions of the library, whichever entry has them.
export * from '../../src/library/generated/convert.ts'
export * from '../../src/library/generated/evidence.ts'
export * from '../../src/library/generated/index.ts'
export * from '../../src/library/generated/lock.ts'
export * from '../../src/library/generated/registry.ts'
export * from '../../src/library/generated/trust.ts'
