/** The page of a payer: what a wallet has in the escrow, and what it can do about it. */
import '../no-eval.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../ui/tokens.css';
import everywhere from '../words/en/everywhere.json';
import payer from '../words/en/payer.json';
import refunds from '../words/en/refunds.json';
import { openWords } from '../words/open-words.ts';
import { App } from './app.tsx';

const place = document.getElementById('page');
if (!place) throw new Error('The page has no place to stand in.');
await openWords({ everywhere, payer, refunds });
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
