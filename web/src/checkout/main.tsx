/** The hosted page: a payment link, or a checkout session. */
// Imported first, so that a one-time code leaves the address bar before anything else runs.
import './handover/taken-code.ts';
import '../no-eval.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../ui/tokens.css';
import './view/paper.css';
import germanCheckout from '../words/de/checkout.json';
import germanEverywhere from '../words/de/everywhere.json';
import germanRefunds from '../words/de/refunds.json';
import checkout from '../words/en/checkout.json';
import everywhere from '../words/en/everywhere.json';
import refunds from '../words/en/refunds.json';
import { openWords } from '../words/open-words.ts';
import { App } from './app.tsx';
import { frame } from './embed/frame.ts';
import './embed/frame.css';
import { UnknownPage } from './view/unknown-page.tsx';

const place = document.getElementById('page');
if (!place) throw new Error('The page has no place to stand in.');
const root = createRoot(place);
// Not a top-level await: with one, the bundler puts every shared module into a separate file (decision 0113).
const german = { everywhere: germanEverywhere, checkout: germanCheckout, refunds: germanRefunds };
void openWords({ everywhere, checkout, refunds }, { wanted: frame?.language, german }).then(() =>
  root.render(<StrictMode>{frame?.isRefused ? <UnknownPage what="session" /> : <App />}</StrictMode>),
);
