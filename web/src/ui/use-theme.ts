/** The light or dark theme, or that of the viewer's system. */
import { useState } from 'react';

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'sluice.theme';

/** Runs before the first render, so that the page does not flash. */
export function applyTheme(theme: Theme = storedTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function useTheme(): [theme: Theme, setTheme: (theme: Theme) => void] {
  const [theme, setTheme] = useState(storedTheme);
  return [
    theme,
    (chosen) => {
      localStorage.setItem(KEY, chosen);
      applyTheme(chosen);
      setTheme(chosen);
    },
  ];
}

function storedTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}
