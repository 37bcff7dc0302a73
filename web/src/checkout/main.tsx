import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../ui/tokens.css';

const place = document.getElementById('page');
if (!place) throw new Error('The page has no place to stand in.');
createRoot(place).render(
  <StrictMode>
    <main>checkout</main>
  </StrictMode>,
);
