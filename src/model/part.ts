// Loads a part of the program when it is first needed. Node makes a promise and asks its loaders at each `import()`, also of what was
// loaded long ago: that cost each judgement more than a policy does. What is kept is the program, and nothing of a judgement.

/** @param load an `import()`. One that failed is tried again by the next call. */
export function part<T extends object>(load: () => Promise<T>): () => Promise<T> {
  let loaded: T | undefined
  return async () => {
    loaded ??= await load()
    return loaded
  }
}
