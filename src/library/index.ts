// What the main entry has beside its functions.
export { type BudgetLedger, newLedger } from '../call/ledger.ts'
export { ERRORS, type ErrorCode } from '../model/error.ts'
export { REASON_CODES, type ReasonCode } from '../model/reason-codes.ts'
export { VERDICTS, type Verdict } from '../model/verdict.ts'
