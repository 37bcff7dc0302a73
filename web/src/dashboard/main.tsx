import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../ui/tokens.css';
import { applyTheme } from '../ui/use-theme.ts';
import everywhere from '../words/en/everywhere.json';
import shell from '../words/en/shell.json';
import { openWords } from '../words/open-words.ts';
import { Dashboard } from './dashboard.tsx';

const place = document.getElementById('page');
if (!place) throw new Error('The page has no place to stand in.');
applyTheme();
const root = createRoot(place);
// Not a top-level await: with one, the bundler puts every shared module into a separate file (decision 0113).
void openWords({ everywhere, shell }).then(() =>
  root.render(
    <StrictMode>
      <Dashboard />
    </StrictMode>,
  ),
);
