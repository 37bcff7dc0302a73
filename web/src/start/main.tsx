/** The page at `/`, and at every path that leads nowhere. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../ui/tokens.css';
import everywhere from '../words/en/everywhere.json';
import start from '../words/en/start.json';
import { openWords } from '../words/open-words.ts';
import { App } from './app.tsx';

const place = document.getElementById('page');
if (!place) throw new Error('The page has no place to stand in.');
await openWords({ everywhere, start });
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
