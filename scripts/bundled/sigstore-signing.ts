// What is used of the library of Sigstore that signs (src/sign/keyless/proofs.ts), as one file of the program. It builds requests, and speaks to no service.
export { toCreateEntryRequest, toProposedEntry } from '@sigstore/sign/dist/witness/tlog/entry.js'
