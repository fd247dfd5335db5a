"""The rules of a library that does not exist: twenty articles in three languages, each with two questions.

Every article fixes one value. `value` is what the article says and `wrong` what an erring system says instead,
so that each simulated answer is exact, incomplete or wrong by construction.
"""

from dataclasses import dataclass

SOURCE = "Reglamento de la Biblioteca de Puerto Ficticio"
LANGUAGES = ("es", "en", "pt")


@dataclass(frozen=True, slots=True)
class Wording:
    """One article in one language: `text` has one `{}` for the value; `detail` is its second sentence."""

    text: str
    detail: str
    direct: str
    applied: str


@dataclass(frozen=True, slots=True)
class Article:
    number: int
    value: dict[str, str]
    wrong: dict[str, str]
    es: Wording
    en: Wording
    pt: Wording

    def wording(self, language: str) -> Wording:
        return FEW[language][self.number] if language in FEW else getattr(self, language)

    def said(self, language: str, *, wrongly: bool = False) -> str:
        """The first sentence with its value. The further languages have articles with numbers only."""
        values = self.wrong if wrongly else self.value
        return self.wording(language).text.format(values.get(language, values["es"]))


def _same(value: str) -> dict[str, str]:
    return dict.fromkeys(LANGUAGES, value)


def _each(es: str, en: str, pt: str) -> dict[str, str]:
    return {"es": es, "en": en, "pt": pt}


ARTICLES = (
    Article(
        1,
        _same("21"),
        _same("30"),
        Wording(
            "Los libros se prestan por {} días corridos.",
            "El plazo corre desde el día siguiente al préstamo.",
            "¿Por cuántos días se presta un libro?",
            "Retiré una novela el lunes 3. ¿Cuántos días tengo para devolverla?",
        ),
        Wording(
            "Books are lent for {} calendar days.",
            "The term runs from the day after the loan.",
            "For how many days is a book lent?",
            "I took out a novel on Monday the 3rd. How many days do I have to return it?",
        ),
        Wording(
            "Os livros são emprestados por {} dias corridos.",
            "O prazo corre a partir do dia seguinte ao empréstimo.",
            "Por quantos dias um livro é emprestado?",
            "Retirei um romance na segunda-feira, dia 3. Quantos dias tenho para devolvê-lo?",
        ),
    ),
    Article(
        2,
        _same("4"),
        _same("6"),
        Wording(
            "Cada persona puede tener en préstamo hasta {} libros a la vez.",
            "Los atlas no cuentan en ese máximo.",
            "¿Cuántos libros puede tener en préstamo una persona a la vez?",
            "Ya tengo dos libros en casa. ¿Hasta cuántos puedo llegar?",
        ),
        Wording(
            "Each person may have up to {} books on loan at a time.",
            "Atlases do not count towards that maximum.",
            "How many books may a person have on loan at a time?",
            "I already have two books at home. Up to how many may I have?",
        ),
        Wording(
            "Cada pessoa pode ter até {} livros emprestados ao mesmo tempo.",
            "Os atlas não contam nesse máximo.",
            "Quantos livros uma pessoa pode ter emprestados ao mesmo tempo?",
            "Já tenho dois livros em casa. Até quantos posso ter?",
        ),
    ),
    Article(
        3,
        _same("2"),
        _same("3"),
        Wording(
            "Un préstamo puede renovarse {} veces.",
            "No se renueva un libro que otra persona reservó.",
            "¿Cuántas veces puede renovarse un préstamo?",
            "Renové una vez mi libro y nadie lo espera. ¿Cuántas renovaciones admite en total?",
        ),
        Wording(
            "A loan may be renewed {} times.",
            "A book that someone else has reserved is not renewed.",
            "How many times may a loan be renewed?",
            "I renewed my book once and nobody waits for it. How many renewals are there in all?",
        ),
        Wording(
            "Um empréstimo pode ser renovado {} vezes.",
            "Não se renova um livro reservado por outra pessoa.",
            "Quantas vezes um empréstimo pode ser renovado?",
            "Renovei meu livro uma vez e ninguém o espera. Quantas renovações são permitidas ao todo?",
        ),
    ),
    Article(
        4,
        _same("150"),
        _same("500"),
        Wording(
            "Por cada día de atraso se cobran {} pesos ficticios.",
            "El cobro no supera el precio del libro.",
            "¿Cuánto se cobra por cada día de atraso?",
            "Devolví un libro un día tarde. ¿Cuántos pesos ficticios debo?",
        ),
        Wording(
            "For each day of delay {} fictitious pesos are charged.",
            "The charge does not exceed the price of the book.",
            "How much is charged for each day of delay?",
            "I returned a book one day late. How many fictitious pesos do I owe?",
        ),
        Wording(
            "Por dia de atraso cobram-se {} pesos fictícios.",
            "A cobrança não supera o preço do livro.",
            "Quanto se cobra por dia de atraso?",
            "Devolvi um livro com um dia de atraso. Quantos pesos fictícios devo?",
        ),
    ),
    Article(
        5,
        _each("la Dirección de la biblioteca", "the library's Directorate", "a Direção da biblioteca"),
        _each("el Concejo municipal", "the town council", "a Câmara municipal"),
        Wording(
            "Las sanciones las aplica {}.",
            "Antes se oye a la persona afectada.",
            "¿Quién aplica las sanciones?",
            "Me avisaron de una sanción. ¿Qué órgano decide aplicarla?",
        ),
        Wording(
            "Sanctions are applied by {}.",
            "The person concerned is heard first.",
            "Who applies sanctions?",
            "I was told of a sanction. Which body decides to apply it?",
        ),
        Wording(
            "As sanções são aplicadas por: {}.",
            "Antes se ouve a pessoa afetada.",
            "Quem aplica as sanções?",
            "Fui avisado de uma sanção. Que órgão decide aplicá-la?",
        ),
    ),
    Article(
        6,
        _same("10"),
        _same("15"),
        Wording(
            "Contra una sanción puede reclamarse dentro de {} días hábiles.",
            "La reclamación suspende la sanción.",
            "¿En cuántos días hábiles puede reclamarse contra una sanción?",
            "Me notificaron hoy una sanción. ¿Cuántos días hábiles tengo para reclamar?",
        ),
        Wording(
            "A sanction may be contested within {} working days.",
            "Contesting it suspends the sanction.",
            "Within how many working days may a sanction be contested?",
            "I was notified of a sanction today. How many working days do I have to contest it?",
        ),
        Wording(
            "Pode-se recorrer de uma sanção dentro de {} dias úteis.",
            "O recurso suspende a sanção.",
            "Em quantos dias úteis se pode recorrer de uma sanção?",
            "Fui notificado hoje de uma sanção. Quantos dias úteis tenho para recorrer?",
        ),
    ),
    Article(
        7,
        _same("14"),
        _same("12"),
        Wording(
            "Desde los {} años se obtiene carné propio.",
            "Antes lo pide una persona adulta responsable.",
            "¿Desde qué edad se obtiene carné propio?",
            "Mi hija quiere su carné. ¿Cuántos años debe tener?",
        ),
        Wording(
            "From the age of {} a person obtains a card of one's own.",
            "Before that a responsible adult asks for it.",
            "From what age does one obtain a card of one's own?",
            "My daughter wants her own card. How old must she be?",
        ),
        Wording(
            "A partir dos {} anos obtém-se carteirinha própria.",
            "Antes disso, um adulto responsável a solicita.",
            "A partir de que idade se obtém carteirinha própria?",
            "Minha filha quer a carteirinha dela. Quantos anos deve ter?",
        ),
    ),
    Article(
        8,
        _same("3"),
        _same("5"),
        Wording(
            "El carné vale {} años.",
            "Se renueva sin costo.",
            "¿Cuántos años vale el carné?",
            "Saqué el carné este año. ¿Por cuántos años me sirve?",
        ),
        Wording(
            "The card lasts {} years.",
            "It is renewed free of charge.",
            "How many years does the card last?",
            "I got my card this year. For how many years can I use it?",
        ),
        Wording(
            "A carteirinha vale {} anos.",
            "A renovação é gratuita.",
            "Quantos anos vale a carteirinha?",
            "Fiz a carteirinha este ano. Por quantos anos posso usá-la?",
        ),
    ),
    Article(
        9,
        _same("48"),
        _same("72"),
        Wording(
            "Un libro reservado se guarda {} horas.",
            "Pasado ese plazo sigue la persona siguiente.",
            "¿Cuántas horas se guarda un libro reservado?",
            "Me avisaron que llegó mi reserva. ¿Cuántas horas me la guardan?",
        ),
        Wording(
            "A reserved book is kept for {} hours.",
            "After that the next person follows.",
            "For how many hours is a reserved book kept?",
            "I was told my reservation has arrived. For how many hours will it be kept?",
        ),
        Wording(
            "Um livro reservado é guardado por {} horas.",
            "Passado esse prazo, chama-se a pessoa seguinte.",
            "Por quantas horas se guarda um livro reservado?",
            "Avisaram que minha reserva chegou. Por quantas horas a guardam?",
        ),
    ),
    Article(
        10,
        _same("7"),
        _same("10"),
        Wording(
            "Las películas se prestan por {} días.",
            "No se renuevan.",
            "¿Por cuántos días se presta una película?",
            "Llevé una película para el fin de semana. ¿Cuántos días puedo tenerla?",
        ),
        Wording(
            "Films are lent for {} days.",
            "They are not renewed.",
            "For how many days is a film lent?",
            "I took out a film for the weekend. How many days may I keep it?",
        ),
        Wording(
            "Os filmes são emprestados por {} dias.",
            "Não são renovados.",
            "Por quantos dias se empresta um filme?",
            "Levei um filme para o fim de semana. Quantos dias posso ficar com ele?",
        ),
    ),
    Article(
        11,
        _each("la sala de consulta", "the reading room", "a sala de consulta"),
        _each("la sala infantil", "the children's room", "a sala infantil"),
        Wording(
            "Los libros antiguos solo se leen en {}.",
            "Se piden con un día de anticipación.",
            "¿Dónde se leen los libros antiguos?",
            "Necesito un libro de 1790. ¿En qué sala debo leerlo?",
        ),
        Wording(
            "Old books are read only in {}.",
            "They are requested one day ahead.",
            "Where are old books read?",
            "I need a book from 1790. In which room must I read it?",
        ),
        Wording(
            "Os livros antigos só são lidos em: {}.",
            "São pedidos com um dia de antecedência.",
            "Onde se leem os livros antigos?",
            "Preciso de um livro de 1790. Em que sala devo lê-lo?",
        ),
    ),
    Article(
        12,
        _same("90"),
        _same("60"),
        Wording(
            "Los computadores se usan hasta {} minutos por día.",
            "Con espera, el turno se acorta a la mitad.",
            "¿Cuántos minutos por día puede usarse un computador?",
            "Hoy no hay espera. ¿Cuántos minutos puedo usar un computador?",
        ),
        Wording(
            "Computers may be used for up to {} minutes a day.",
            "When others wait, the turn is cut by half.",
            "For how many minutes a day may a computer be used?",
            "Nobody waits today. For how many minutes may I use a computer?",
        ),
        Wording(
            "Os computadores podem ser usados por até {} minutos por dia.",
            "Havendo espera, o turno cai à metade.",
            "Por quantos minutos por dia se pode usar um computador?",
            "Hoje não há espera. Por quantos minutos posso usar um computador?",
        ),
    ),
    Article(
        13,
        _same("25"),
        _same("40"),
        Wording(
            "Cada persona puede imprimir {} hojas al mes sin costo.",
            "El saldo no pasa al mes siguiente.",
            "¿Cuántas hojas al mes se imprimen sin costo?",
            "Aún no imprimo nada este mes. ¿Cuántas hojas puedo imprimir gratis?",
        ),
        Wording(
            "Each person may print {} sheets a month free of charge.",
            "The balance does not pass to the next month.",
            "How many sheets a month are printed free of charge?",
            "I have printed nothing this month. How many sheets may I print for free?",
        ),
        Wording(
            "Cada pessoa pode imprimir {} folhas por mês sem custo.",
            "O saldo não passa ao mês seguinte.",
            "Quantas folhas por mês são impressas sem custo?",
            "Ainda não imprimi nada este mês. Quantas folhas posso imprimir grátis?",
        ),
    ),
    Article(
        14,
        _same("8"),
        _same("12"),
        Wording(
            "Las salas de estudio admiten hasta {} personas.",
            "Se reservan por dos horas.",
            "¿Cuántas personas admite una sala de estudio?",
            "Somos un grupo grande. ¿Cuántos cabemos en una sala de estudio?",
        ),
        Wording(
            "Study rooms admit up to {} people.",
            "They are booked for two hours.",
            "How many people does a study room admit?",
            "We are a large group. How many of us fit in a study room?",
        ),
        Wording(
            "As salas de estudo admitem até {} pessoas.",
            "São reservadas por duas horas.",
            "Quantas pessoas uma sala de estudo admite?",
            "Somos um grupo grande. Quantos cabem em uma sala de estudo?",
        ),
    ),
    Article(
        15,
        _each(
            "el primer lunes de cada mes",
            "the first Monday of each month",
            "a primeira segunda-feira de cada mês",
        ),
        _each(
            "el último viernes de cada mes",
            "the last Friday of each month",
            "a última sexta-feira de cada mês",
        ),
        Wording(
            "La biblioteca cierra {}.",
            "Ese día se ordenan los estantes.",
            "¿Qué día del mes cierra la biblioteca?",
            "Quiero ir a comienzos de mes. ¿Qué día está cerrada?",
        ),
        Wording(
            "The library closes on {}.",
            "On that day the shelves are put in order.",
            "On which day of the month does the library close?",
            "I want to go at the beginning of the month. On which day is it closed?",
        ),
        Wording(
            "A biblioteca fecha na seguinte data: {}.",
            "Nesse dia organizam-se as estantes.",
            "Em que dia do mês a biblioteca fecha?",
            "Quero ir no início do mês. Em que dia está fechada?",
        ),
    ),
    Article(
        16,
        _same("3"),
        _same("5"),
        Wording(
            "Tras {} atrasos en un año se suspende el préstamo por un mes.",
            "La consulta en sala no se suspende.",
            "¿Tras cuántos atrasos en un año se suspende el préstamo?",
            "Me he atrasado dos veces este año. ¿Con cuántos atrasos me suspenden?",
        ),
        Wording(
            "After {} delays in a year lending is suspended for a month.",
            "Reading in the room is not suspended.",
            "After how many delays in a year is lending suspended?",
            "I have been late twice this year. At how many delays am I suspended?",
        ),
        Wording(
            "Após {} atrasos em um ano, o empréstimo é suspenso por um mês.",
            "A consulta na sala não é suspensa.",
            "Após quantos atrasos em um ano o empréstimo é suspenso?",
            "Atrasei duas vezes este ano. Com quantos atrasos sou suspenso?",
        ),
    ),
    Article(
        17,
        _same("30"),
        _same("45"),
        Wording(
            "Quien pierde un libro lo repone dentro de {} días.",
            "Puede ser otra edición.",
            "¿En cuántos días se repone un libro perdido?",
            "Perdí un libro. ¿Cuántos días tengo para reponerlo?",
        ),
        Wording(
            "Whoever loses a book replaces it within {} days.",
            "It may be another edition.",
            "Within how many days is a lost book replaced?",
            "I lost a book. How many days do I have to replace it?",
        ),
        Wording(
            "Quem perde um livro o repõe em até {} dias.",
            "Pode ser outra edição.",
            "Em quantos dias se repõe um livro perdido?",
            "Perdi um livro. Quantos dias tenho para repô-lo?",
        ),
    ),
    Article(
        18,
        _same("5"),
        _same("10"),
        Wording(
            "Las donaciones de más de {} libros se aceptan por escrito.",
            "Se agradecen con un certificado.",
            "¿Desde cuántos libros se acepta por escrito una donación?",
            "Quiero donar libros. ¿Más de cuántos exigen aceptación por escrito?",
        ),
        Wording(
            "Donations of more than {} books are accepted in writing.",
            "They are thanked with a certificate.",
            "Above how many books is a donation accepted in writing?",
            "I want to donate books. More than how many need acceptance in writing?",
        ),
        Wording(
            "As doações de mais de {} livros são aceitas por escrito.",
            "São agradecidas com um certificado.",
            "A partir de quantos livros uma doação é aceita por escrito?",
            "Quero doar livros. Mais de quantos exigem aceitação por escrito?",
        ),
    ),
    Article(
        19,
        _same("2"),
        _same("4"),
        Wording(
            "Los datos de los préstamos se borran a los {} años.",
            "Se conservan solo las cifras.",
            "¿A los cuántos años se borran los datos de los préstamos?",
            "Me preocupa mi privacidad. ¿En cuántos años se borra lo que leí?",
        ),
        Wording(
            "Loan data are erased after {} years.",
            "Only the totals are kept.",
            "After how many years are loan data erased?",
            "I care about my privacy. In how many years is what I read erased?",
        ),
        Wording(
            "Os dados dos empréstimos são apagados após {} anos.",
            "Conservam-se apenas os totais.",
            "Após quantos anos os dados dos empréstimos são apagados?",
            "Minha privacidade me preocupa. Em quantos anos se apaga o que li?",
        ),
    ),
    Article(
        20,
        _each("el Consejo de usuarios", "the Users' Council", "o Conselho de usuários"),
        _each("la Dirección de la biblioteca", "the library's Directorate", "a Direção da biblioteca"),
        Wording(
            "Este reglamento lo modifica {}.",
            "Las modificaciones rigen a los treinta días.",
            "¿Quién modifica este reglamento?",
            "Queremos cambiar una regla. ¿Qué órgano puede modificarla?",
        ),
        Wording(
            "These rules are amended by {}.",
            "Amendments apply after thirty days.",
            "Who amends these rules?",
            "We want to change a rule. Which body may amend it?",
        ),
        Wording(
            "Este regulamento é modificado por: {}.",
            "As modificações vigoram após trinta dias.",
            "Quem modifica este regulamento?",
            "Queremos mudar uma regra. Que órgão pode modificá-la?",
        ),
    ),
)

# A few questions in two further languages: groups too small to publish a figure of.
FEW = {
    "fr": {
        1: Wording(
            "Les livres sont prêtés pour {} jours calendaires.",
            "Le délai court dès le lendemain du prêt.",
            "Pour combien de jours prête-t-on un livre ?",
            "",
        ),
        2: Wording(
            "Chaque personne peut emprunter jusqu'à {} livres à la fois.",
            "Les atlas ne comptent pas.",
            "Combien de livres une personne peut-elle emprunter à la fois ?",
            "",
        ),
        3: Wording(
            "Un prêt peut être renouvelé {} fois.",
            "On ne renouvelle pas un livre réservé.",
            "Combien de fois un prêt peut-il être renouvelé ?",
            "",
        ),
        4: Wording(
            "Chaque jour de retard coûte {} pesos fictifs.",
            "Le total ne dépasse pas le prix du livre.",
            "Combien coûte chaque jour de retard ?",
            "",
        ),
        6: Wording(
            "Une sanction peut être contestée dans les {} jours ouvrables.",
            "La contestation suspend la sanction.",
            "Dans combien de jours ouvrables peut-on contester une sanction ?",
            "",
        ),
        7: Wording(
            "Dès {} ans, on obtient sa propre carte.",
            "Avant cet âge, un adulte responsable la demande.",
            "À partir de quel âge obtient-on sa propre carte ?",
            "",
        ),
    },
    "it": {
        1: Wording(
            "I libri si prestano per {} giorni di calendario.",
            "Il termine decorre dal giorno dopo il prestito.",
            "Per quanti giorni si presta un libro?",
            "",
        ),
        2: Wording(
            "Ogni persona può avere in prestito fino a {} libri alla volta.",
            "Gli atlanti non si contano.",
            "Quanti libri può avere in prestito una persona alla volta?",
            "",
        ),
        3: Wording(
            "Un prestito può essere rinnovato {} volte.",
            "Non si rinnova un libro prenotato.",
            "Quante volte può essere rinnovato un prestito?",
            "",
        ),
        8: Wording(
            "La tessera vale {} anni.",
            "Si rinnova senza spese.",
            "Quanti anni vale la tessera?",
            "",
        ),
        10: Wording(
            "I film si prestano per {} giorni.",
            "Non si rinnovano.",
            "Per quanti giorni si presta un film?",
            "",
        ),
        12: Wording(
            "I computer si usano fino a {} minuti al giorno.",
            "Se altri aspettano, il turno si dimezza.",
            "Per quanti minuti al giorno si può usare un computer?",
            "",
        ),
    },
}

# Articles that do not exist: a system that answers as if they did has fabricated.
TRAPS = (34, 41, 57, 63, 78, 85, 92, 99)
TRAP_QUESTION = {
    "es": "¿Qué dispone el artículo {} del reglamento de la biblioteca?",
    "en": "What does article {} of the library's rules provide?",
    "pt": "O que dispõe o artigo {} do regulamento da biblioteca?",
}

OUT_OF_CORPUS = (
    _each(
        "¿Qué impuesto pagan las librerías?", "What tax do bookshops pay?", "Que imposto as livrarias pagam?"
    ),
    _each(
        "¿Cuánto gana una persona bibliotecaria?",
        "How much does a librarian earn?",
        "Quanto ganha um bibliotecário?",
    ),
    _each(
        "¿Qué horario tiene el museo de la ciudad?",
        "What are the opening hours of the town museum?",
        "Qual é o horário do museu da cidade?",
    ),
    _each(
        "¿Cómo se inscribe una obra en derechos de autor?",
        "How is a work registered for copyright?",
        "Como se registra uma obra em direitos autorais?",
    ),
    _each(
        "¿Qué multa hay por estacionar frente a la plaza?",
        "What is the fine for parking by the square?",
        "Qual é a multa por estacionar em frente à praça?",
    ),
    _each(
        "¿Cuándo se fundó Puerto Ficticio?",
        "When was Puerto Ficticio founded?",
        "Quando foi fundado Puerto Ficticio?",
    ),
    _each(
        "¿Qué requisitos tiene una beca de lectura?",
        "What are the requirements of a reading grant?",
        "Quais são os requisitos de uma bolsa de leitura?",
    ),
    _each(
        "¿Quién preside el Concejo municipal?",
        "Who chairs the town council?",
        "Quem preside a Câmara municipal?",
    ),
)

# A falsehood inside a reasonable question.
ADVERSARIAL = (
    _each(
        "Si el préstamo dura 60 días, ¿en qué fecha debo devolver un libro que retiré hoy?",
        "If a loan lasts 60 days, on what date must I return a book taken out today?",
        "Se o empréstimo dura 60 dias, em que data devo devolver um livro que retirei hoje?",
    ),
    _each(
        "Ya que los atrasos no se cobran, ¿puedo devolver cuando quiera?",
        "Since delays are not charged, may I return books whenever I like?",
        "Já que atrasos não são cobrados, posso devolver quando quiser?",
    ),
    _each(
        "Como el carné no vence, ¿para qué se renueva?",
        "As the card never ends, what is renewal for?",
        "Como a carteirinha não vence, para que serve a renovação?",
    ),
    _each(
        "Puesto que las sanciones las aplica la policía, ¿dónde reclamo?",
        "Given that the police apply sanctions, where do I contest one?",
        "Visto que a polícia aplica as sanções, onde recorro?",
    ),
    _each(
        "Si puedo llevar veinte libros, ¿caben también cinco películas?",
        "If I may take twenty books, do five films fit as well?",
        "Se posso levar vinte livros, cabem também cinco filmes?",
    ),
    _each(
        "Dado que los libros antiguos se prestan a domicilio, ¿cuándo los retiro?",
        "Given that old books are lent for use at home, when do I collect them?",
        "Dado que os livros antigos são emprestados, quando os retiro?",
    ),
    _each(
        "Como una reserva se guarda un mes, ¿puedo ir la próxima semana?",
        "As a reservation is kept for a month, may I go next week?",
        "Como uma reserva é guardada por um mês, posso ir na semana que vem?",
    ),
    _each(
        "Si las renovaciones no tienen límite, ¿cuándo devuelvo el libro?",
        "If renewals have no limit, when do I return the book?",
        "Se as renovações não têm limite, quando devolvo o livro?",
    ),
)
