/** The page's icon: a sheet in a tray. */
export const pageIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#2f5d8c"/>
<path d="M10 6h8l4 4v8H10z" fill="#fff"/>
<path d="M18 6v4h4" fill="none" stroke="#2f5d8c" stroke-width="1.5"/>
<path d="M6 18h6l2 3h4l2-3h6v7H6z" fill="#a9c6e4"/>
</svg>
`;
