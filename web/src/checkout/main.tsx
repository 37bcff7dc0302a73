/** The hosted page: a payment link, or a checkout session. */
// Imported first, so that a one-time code leaves the address bar before anything else runs.
import './handover/taken-code.ts';
import '../no-eval.ts';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import '../ui/tokens.css';
import './view/paper.css';
import germanCheckout from '../words/de/checkout.json';
import germanEverywhere from '../words/de/everywhere.json';
import germanHandover from '../words/de/handover.json';
import germanRefunds from '../words/de/refunds.json';
import checkout from '../words/en/checkout.json';
import everywhere from '../words/en/everywhere.json';
import handover from '../words/en/handover.json';
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
const german = {
  everywhere: germanEverywhere,
  checkout: germanCheckout,
  handover: germanHandover,
  refunds: germanRefunds,
};
void openWords({ everywhere, checkout, handover, refunds }, { wanted: frame?.language, german }).then(() =>
  // The server printed what is rendered first, so the browser may handle input before it is, and between its parts.
  setTimeout(() =>
    startTransition(() =>
      root.render(<StrictMode>{frame?.isRefused ? <UnknownPage what="session" /> : <App />}</StrictMode>),
    ),
  ),
);
