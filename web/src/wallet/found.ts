/** DONE: in a block and successful. REVERTED: in a block and without effect. NOT_THERE: looked up and not found. */
export type Found = 'DONE' | 'REVERTED' | 'NOT_THERE';
