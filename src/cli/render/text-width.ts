// The columns of a text that is not plain. A file of its own, loaded only for such a text, because the library makes the engine build
// Unicode tables.
export { default as stringWidth } from 'fast-string-width'
