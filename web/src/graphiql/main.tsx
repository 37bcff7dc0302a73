/** The GraphQL editor at `/graphql`, where a browser opens it. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../ui/tokens.css';
import { applyTheme } from '../ui/use-theme.ts';
import everywhere from '../words/en/everywhere.json';
import graphiql from '../words/en/graphiql.json';
import { openWords } from '../words/open-words.ts';
import { App } from './app.tsx';

const place = document.getElementById('page');
if (!place) throw new Error('The page has no place to stand in.');
applyTheme();
await openWords({ everywhere, graphiql });
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
