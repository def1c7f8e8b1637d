// Signing with an identity, as the library loads it: on demand.
export { type KeylessGiven, keylessGiven } from './given.ts'
export { type SignedKeyless, signBundleKeyless } from './sign-keyless.ts'
