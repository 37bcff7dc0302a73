import type { DocumentNode, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { TransportContext } from '../server/request-plugin.ts';
import type { AskedDocument } from './asked-document.ts';
import type { Documents } from './open-documents.ts';

/** Replaces the server's parsing, validation and caches with the documents of the process. */
export function documentsPlugin(documents: Documents): Plugin<TransportContext> {
  const asked = new WeakMap<object, AskedDocument>();
  const validated = new WeakMap<DocumentNode, readonly GraphQLError[]>();
  return {
    onParams({ params, setParams, context }) {
      const found = documents.find(senderOf(context), params);
      if (!found) return;
      asked.set(context, found);
      if (found.text !== params.query) setParams({ ...params, query: found.text });
    },
    onParse({ params, context, setParsedDocument }) {
      const wanted = asked.get(context) ?? { text: params.source.toString(), isKnown: false };
      const { document, errors } = documents.read(senderOf(context), wanted);
      validated.set(document, errors);
      setParsedDocument(document);
    },
    onValidate({ params, setResult }) {
      const errors = validated.get(params.documentAST);
      if (errors) setResult([...errors]);
    },
  };
}

function senderOf(context: object): TransportContext['admission'] {
  return 'admission' in context ? (context.admission as TransportContext['admission']) : undefined;
}
