/** DONE: in a block, and did what it should. REVERTED: in a block, and did nothing. NOT_THERE: looked for and not found. */
export type Found = 'DONE' | 'REVERTED' | 'NOT_THERE';
