import { useGraphQlJit } from '@envelop/graphql-jit';
import type { DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { TransportContext } from '../graphql/server/request-plugin.ts';

/**
 * Compiles the REST documents, and nothing else: the compiler keeps one result a document, so that of two operations in
 * a client's document it could run the wrong one. Ours have one operation each.
 */
export function jitPlugin(documents: Iterable<DocumentNode>): Plugin<TransportContext> {
  const ours = new WeakSet<DocumentNode>(documents);
  const { onExecute } = useGraphQlJit({}, { enableIf: (args) => ours.has(args.document) });
  return {
    onExecute(hook) {
      return onExecute?.(hook);
    },
  };
}
