"""A curated, bilingual, dated knowledge base and its search. Knows nothing of chat or of the advisor's arithmetic."""
