import { getOperationAST, type OperationTypeNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** Calls `count` for each operation that begins to execute, regardless of its transport. */
export function countOperations(count: (kind: `${OperationTypeNode}`) => void): Plugin {
  return {
    onExecute({ args }) {
      const operation = getOperationAST(args.document, args.operationName);
      count(operation?.operation ?? 'query');
    },
    onSubscribe() {
      count('subscription');
    },
  };
}
