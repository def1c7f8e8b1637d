// The parts of Sigstore's signing library that src/sign/keyless/proofs.ts uses, as one file of the program. They build requests, and speak to no service.
export { toCreateEntryRequest, toProposedEntry } from '@sigstore/sign/dist/witness/tlog/entry.js'
