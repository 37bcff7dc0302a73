/** The arbiter's page: open disputes by deadline, both sides, and the signed decision. */
import '../no-eval.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../ui/tokens.css';
import disputes from '../words/en/disputes.json';
import everywhere from '../words/en/everywhere.json';
import { openWords } from '../words/open-words.ts';
import { App } from './app.tsx';

const place = document.getElementById('page');
if (!place) throw new Error('The page has no place to stand in.');
await openWords({ everywhere, disputes });
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
