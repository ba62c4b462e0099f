/** What an id in a request may look like; anything else names nothing, and is not looked up in a database. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TICKET = /^T-\d{4,9}$/;

export const isJobId = (text: string) => UUID.test(text);
export const isTicketId = (text: string) => TICKET.test(text);
