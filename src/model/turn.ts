/**
 * Called in between by work that takes long. It looks whether the caller has aborted, and answers a promise to wait for if the event loop
 * has not had a turn for a while.
 *
 * @throws RlpError CANCELLED
 */
export type Turn = () => Promise<void> | undefined

/** For a caller that has nothing else to do meanwhile. */
export const WITHOUT_TURNS: Turn = () => undefined
