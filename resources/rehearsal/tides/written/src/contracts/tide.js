/** What station and board share. Heights are whole centimetres above the harbour's zero. */
export const unit = "cm";

/** A reading with what the station thinks of it: `{ at, height, level }`; `level` is one of these. */
export const levels = ["calm", "rising", "high"];
