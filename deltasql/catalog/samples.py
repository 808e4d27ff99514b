"""The tables of the catalog `samples`, which each workspace of Databricks has: a few hundred rows, made when read.

The columns are those of Databricks; the rows are drawn at random, and the same each time. Keys refer to rows that are
there, and totals agree. Of `bakehouse` and `wanderbricks` the tables are there that examples join. Source: Databricks,
sample datasets; TPC-H for the names of regions and nations, and for the relations between the columns.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from functools import cache
from typing import Any

from deltasql.catalog.entries import SchemaMode, ViewDefinition, ViewEntry
from deltasql.catalog.store import SAMPLES
from deltasql.schema import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    ArrayType,
    DataType,
    DecimalType,
    StructField,
    StructType,
)


def _texts(*names: str) -> StructType:
    return StructType(tuple(StructField(name, STRING) for name in names))


_TYPES: Mapping[str, DataType] = {
    "": STRING,
    "INT": INTEGER,
    "BIGINT": LONG,
    "DOUBLE": DOUBLE,
    "FLOAT": FLOAT,
    "BOOLEAN": BOOLEAN,
    "DATE": DATE,
    "TIMESTAMP": TIMESTAMP,
    "DECIMAL": DecimalType(18, 2),
    "METADATA": _texts("device", "referrer"),
    "MESSAGES": ArrayType(_texts("message", "sender", "sentiment", "timestamp")),
}
_BOOKING = (
    "booking_id:BIGINT user_id:BIGINT property_id:BIGINT check_in:DATE check_out:DATE guests_count:INT "
    "total_amount:FLOAT status created_at:TIMESTAMP updated_at:TIMESTAMP"
)
_COLUMNS: Mapping[tuple[str, str], str] = {
    ("bakehouse", "media_customer_reviews"): "review franchiseID:BIGINT review_date:TIMESTAMP new_id:INT",
    ("bakehouse", "sales_customers"): (
        "customerID:BIGINT first_name last_name email_address phone_number address city state country continent "
        "postal_zip_code:BIGINT gender"
    ),
    ("bakehouse", "sales_franchises"): (
        "franchiseID:BIGINT name city district zipcode country size longitude:DOUBLE latitude:DOUBLE supplierID:BIGINT"
    ),
    ("bakehouse", "sales_suppliers"): (
        "supplierID:BIGINT name ingredient continent city district size longitude:DOUBLE latitude:DOUBLE approved"
    ),
    ("bakehouse", "sales_transactions"): (
        "transactionID:BIGINT customerID:BIGINT franchiseID:BIGINT dateTime:TIMESTAMP product quantity:BIGINT "
        "unitPrice:BIGINT totalPrice:BIGINT paymentMethod cardNumber:BIGINT"
    ),
    ("wanderbricks", "amenities"): "amenity_id:BIGINT name category icon",
    ("wanderbricks", "booking_updates"): f"booking_update_id:BIGINT {_BOOKING}",
    ("wanderbricks", "bookings"): _BOOKING,
    ("wanderbricks", "clickstream"): ("user_id:BIGINT property_id:BIGINT event timestamp:TIMESTAMP metadata:METADATA"),
    ("wanderbricks", "customer_support_logs"): (
        "created_at messages:MESSAGES support_agent_id ticket_id user_id:BIGINT"
    ),
    ("wanderbricks", "destinations"): (
        "destination_id:BIGINT destination country state_or_province state_or_province_code description"
    ),
    ("wanderbricks", "employees"): (
        "employee_id:BIGINT host_id:BIGINT name role email phone country joined_at:DATE end_service_date:DATE "
        "is_currently_employed:BOOLEAN"
    ),
    ("wanderbricks", "hosts"): (
        "host_id:BIGINT name email phone is_verified:BOOLEAN is_active:BOOLEAN rating:FLOAT country joined_at:DATE"
    ),
    ("wanderbricks", "payments"): (
        "payment_id:BIGINT booking_id:BIGINT amount:FLOAT payment_method status payment_date:TIMESTAMP"
    ),
    ("wanderbricks", "properties"): (
        "property_id:BIGINT host_id:BIGINT destination_id:BIGINT title description base_price:FLOAT property_type "
        "max_guests:INT bedrooms:INT bathrooms:INT property_latitude:FLOAT property_longitude:FLOAT created_at:DATE"
    ),
    ("wanderbricks", "property_amenities"): "property_id:BIGINT amenity_id:BIGINT",
    ("wanderbricks", "property_images"): (
        "image_id:BIGINT property_id:BIGINT url sequence:INT is_primary:BOOLEAN uploaded_at:DATE"
    ),
    ("wanderbricks", "reviews"): (
        "review_id:BIGINT booking_id:BIGINT property_id:BIGINT user_id:BIGINT rating:FLOAT comment "
        "is_deleted:BOOLEAN created_at:TIMESTAMP updated_at:TIMESTAMP"
    ),
    ("wanderbricks", "users"): (
        "user_id:BIGINT email name country user_type created_at:DATE is_business:BOOLEAN company_name"
    ),
    ("nyctaxi", "trips"): (
        "tpep_pickup_datetime:TIMESTAMP tpep_dropoff_datetime:TIMESTAMP trip_distance:DOUBLE fare_amount:DOUBLE "
        "pickup_zip:INT dropoff_zip:INT"
    ),
    ("tpch", "customer"): (
        "c_custkey:BIGINT c_name c_address c_nationkey:BIGINT c_phone c_acctbal:DECIMAL c_mktsegment c_comment"
    ),
    ("tpch", "lineitem"): (
        "l_orderkey:BIGINT l_partkey:BIGINT l_suppkey:BIGINT l_linenumber:INT l_quantity:DECIMAL "
        "l_extendedprice:DECIMAL l_discount:DECIMAL l_tax:DECIMAL l_returnflag l_linestatus l_shipdate:DATE "
        "l_commitdate:DATE l_receiptdate:DATE l_shipinstruct l_shipmode l_comment"
    ),
    ("tpch", "nation"): "n_nationkey:BIGINT n_name n_regionkey:BIGINT n_comment",
    ("tpch", "orders"): (
        "o_orderkey:BIGINT o_custkey:BIGINT o_orderstatus o_totalprice:DECIMAL o_orderdate:DATE o_orderpriority "
        "o_clerk o_shippriority:INT o_comment"
    ),
    ("tpch", "part"): (
        "p_partkey:BIGINT p_name p_mfgr p_brand p_type p_size:INT p_container p_retailprice:DECIMAL p_comment"
    ),
    ("tpch", "partsupp"): "ps_partkey:BIGINT ps_suppkey:BIGINT ps_availqty:INT ps_supplycost:DECIMAL ps_comment",
    ("tpch", "region"): "r_regionkey:BIGINT r_name r_comment",
    ("tpch", "supplier"): "s_suppkey:BIGINT s_name s_address s_nationkey:BIGINT s_phone s_acctbal:DECIMAL s_comment",
}
_REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
_NATIONS = (
    *(("ALGERIA", 0), ("ARGENTINA", 1), ("BRAZIL", 1), ("CANADA", 1), ("EGYPT", 4), ("ETHIOPIA", 0), ("FRANCE", 3)),
    *(("GERMANY", 3), ("INDIA", 2), ("INDONESIA", 2), ("IRAN", 4), ("IRAQ", 4), ("JAPAN", 2), ("JORDAN", 4)),
    *(("KENYA", 0), ("MOROCCO", 0), ("MOZAMBIQUE", 0), ("PERU", 1), ("CHINA", 2), ("ROMANIA", 3)),
    *(("SAUDI ARABIA", 4), ("VIETNAM", 2), ("RUSSIA", 3), ("UNITED KINGDOM", 3), ("UNITED STATES", 1)),
)
_SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY")
_PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
_INSTRUCTIONS = ("COLLECT COD", "DELIVER IN PERSON", "NONE", "TAKE BACK RETURN")
_MODES = ("AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK")
_COLOURS = ("almond", "azure", "beige", "black", "blue", "brown", "coral", "cream", "cyan", "forest", "green", "ivory")
_SIZES, _FINISHES = ("ECONOMY", "LARGE", "MEDIUM", "PROMO", "SMALL"), ("ANODIZED", "BRUSHED", "PLATED", "POLISHED")
_METALS, _BOXES = ("BRASS", "COPPER", "NICKEL", "STEEL", "TIN"), ("BAG", "BOX", "CAN", "CASE", "DRUM", "JAR", "PACK")
_WORDS = ("accounts", "after", "carefully", "deposits", "even", "final", "packages", "quickly", "regular", "sleep")
_ZIPS = (10001, 10003, 10009, 10011, 10016, 10019, 10023, 10028, 10036, 10103, 10110, 10282, 11201, 11371)
_CITIES = (
    *(("Tokyo", "Japan", "Asia", 139.69, 35.68), ("Paris", "France", "Europe", 2.35, 48.86)),
    *(("Cape Town", "South Africa", "Africa", 18.42, -33.92), ("Lima", "Peru", "South America", -77.04, -12.05)),
    *(("Sydney", "Australia", "Oceania", 151.21, -33.87), ("Denver", "USA", "North America", -104.99, 39.74)),
    *(("Berlin", "Germany", "Europe", 13.4, 52.52), ("Osaka", "Japan", "Asia", 135.5, 34.69)),
)
"""Cities with their country, continent, longitude and latitude."""
_FIRST_NAMES = ("Ada", "Ben", "Chloe", "Dario", "Elif", "Femi", "Grace", "Hugo", "Ines", "Jun", "Kofi", "Lena")
_LAST_NAMES = ("Adams", "Bauer", "Costa", "Diaz", "Evans", "Fischer", "Garcia", "Hansen", "Ito", "Jensen", "Kaya")
_PRODUCTS = ("Almond Twist", "Berry Basket", "Cocoa Cloud", "Honey Bar", "Lemon Leaf", "Oat Original")
_KINDS = ("apartment", "cabin", "house", "studio", "villa")
_STATES = ("cancelled", "completed", "confirmed", "pending")
_AMENITIES = (("Wi-Fi", "Basic"), ("Kitchen", "Basic"), ("Parking", "Basic"), ("Pool", "Luxury"), ("Sauna", "Luxury"))
_CUSTOMERS, _ORDERS, _PARTS, _SUPPLIERS, _TRIPS = 150, 300, 200, 20, 500
_BUYERS, _FRANCHISES, _BAKERS, _SALES = 60, 16, 9, 400
_USERS, _HOSTS, _PROPERTIES, _BOOKINGS = 80, 20, 50, 300
_TODAY = date(1995, 6, 17)
"""The day as of which orders are open or done. Source: TPC-H."""


def sample_view(key: tuple[str, str, str]) -> ViewEntry | None:
    """The built-in table of this name, as a view without a query; None where there is none."""
    catalog, schema, name = key
    text = _COLUMNS.get((schema, name))
    if catalog != SAMPLES or text is None:
        return None
    pairs = (item.partition(":") for item in text.split())
    columns = StructType(tuple(StructField(column, _TYPES[kind]) for column, _, kind in pairs))
    comment = "Sample rows, which are the same each time"
    definition = ViewDefinition(
        "", (catalog, schema), {}, columns.names, columns, mode=SchemaMode.BINDING, comment=comment
    )
    return ViewEntry(catalog, schema, name, definition, 0)


def sample_views(schema: tuple[str, str]) -> list[ViewEntry]:
    """The built-in tables of a schema."""
    found = (sample_view((schema[0], *key)) for key in _COLUMNS if key[0] == schema[1])
    return [view for view in found if view is not None]


@cache
def sample_columns(name: str) -> Sequence[Sequence[Any]]:
    """The values of each column of a built-in table."""
    return [*zip(*_ROWS[name](), strict=True)]


class _Draws:
    """Values that are drawn at random, the same for the same seed in all releases of Python."""

    def __init__(self, seed: str) -> None:
        self._next = random.Random(seed).random

    def number(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return low + int(self._next() * (high - low + 1))

    def of(self, values: Sequence[Any]) -> Any:
        return values[self.number(0, len(values) - 1)]

    def words(self, count: int) -> str:
        return " ".join(self.of(_WORDS) for _ in range(count))

    def cents(self, low: int, high: int) -> Decimal:
        return Decimal(self.number(low, high)).scaleb(-2)

    def name(self) -> tuple[str, str]:
        return self.of(_FIRST_NAMES), self.of(_LAST_NAMES)

    def moment(self, first: date, days: int) -> datetime:
        """A second within so many days after a day, UTC."""
        start = datetime(first.year, first.month, first.day, tzinfo=timezone.utc)
        return start + timedelta(seconds=self.number(0, days * 86400 - 1))

    def phone(self, nation: int) -> str:
        return f"{nation + 10}-{self.number(100, 999)}-{self.number(100, 999)}-{self.number(1000, 9999)}"


_Rows = Iterator[tuple[Any, ...]]


def _trips() -> _Rows:
    draw = _Draws("trips")
    start = datetime(2016, 1, 1, tzinfo=timezone.utc)
    for _ in range(_TRIPS):
        pickup = start + timedelta(seconds=draw.number(0, 60 * 86400))
        distance = draw.number(3, 180) / 10
        minutes = max(2, round(distance * draw.number(25, 60) / 10))
        fare = round(2.5 + 2.5 * distance + 0.1 * minutes) - 0.5 * draw.number(0, 1)
        yield pickup, pickup + timedelta(seconds=60 * minutes), distance, fare, draw.of(_ZIPS), draw.of(_ZIPS)


def _regions() -> _Rows:
    draw = _Draws("region")
    for key, name in enumerate(_REGIONS):
        yield key, name, draw.words(6)


def _nations() -> _Rows:
    draw = _Draws("nation")
    for key, (name, region) in enumerate(_NATIONS):
        yield key, name, region, draw.words(5)


def _customers() -> _Rows:
    draw = _Draws("customer")
    for key in range(1, _CUSTOMERS + 1):
        nation = draw.number(0, len(_NATIONS) - 1)
        account = (draw.phone(nation), draw.cents(-99999, 999999), draw.of(_SEGMENTS))
        yield key, f"Customer#{key:09}", f"{draw.number(1, 999)} {draw.words(2)}", nation, *account, draw.words(7)


def _suppliers() -> _Rows:
    draw = _Draws("supplier")
    for key in range(1, _SUPPLIERS + 1):
        nation = draw.number(0, len(_NATIONS) - 1)
        account = (draw.phone(nation), draw.cents(-99999, 999999))
        yield key, f"Supplier#{key:09}", f"{draw.number(1, 999)} {draw.words(2)}", nation, *account, draw.words(6)


def _price(part: int) -> Decimal:
    """The retail price of a part. Source: TPC-H."""
    return Decimal(90000 + part // 10 % 20001 + 100 * (part % 1000)).scaleb(-2)


def _parts() -> _Rows:
    draw = _Draws("part")
    for key in range(1, _PARTS + 1):
        maker = draw.number(1, 5)
        kind = f"{draw.of(_SIZES)} {draw.of(_FINISHES)} {draw.of(_METALS)}"
        box = f"{draw.of(('JUMBO', 'LG', 'MED', 'SM', 'WRAP'))} {draw.of(_BOXES)}"
        names = (" ".join(draw.of(_COLOURS) for _ in range(3)), f"Manufacturer#{maker}")
        yield (
            key,
            *names,
            f"Brand#{maker}{draw.number(1, 5)}",
            kind,
            draw.number(1, 50),
            box,
            _price(key),
            draw.words(3),
        )


def _suppliers_of(part: int) -> list[int]:
    """The four suppliers of a part."""
    return [(part + step * _SUPPLIERS // 4) % _SUPPLIERS + 1 for step in range(4)]


def _parts_of_suppliers() -> _Rows:
    draw = _Draws("partsupp")
    for part in range(1, _PARTS + 1):
        for supplier in _suppliers_of(part):
            yield part, supplier, draw.number(1, 9999), draw.cents(100, 100000), draw.words(8)


@cache
def _orders_and_items() -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """The rows of `orders` and `lineitem`, of which the former have the totals."""
    draw, orders, items = _Draws("orders"), list[tuple[Any, ...]](), list[tuple[Any, ...]]()
    for number in range(_ORDERS):
        # Of 32 numbers the first 8 are used, as in TPC-H.
        key = number // 8 * 32 + number % 8 + 1
        ordered = date(1992, 1, 1) + timedelta(days=draw.number(0, 2400))
        own = [_item(draw, key, line, ordered) for line in range(1, draw.number(1, 6) + 1)]
        items += own
        # One customer of three has no orders, as in TPC-H.
        customer = draw.number(0, _CUSTOMERS // 3 - 1) * 3 + draw.number(1, 2)
        states = {item[9] for item in own}
        total = sum((item[5] * (1 - item[6]) * (1 + item[7]) for item in own), Decimal())
        status = (states.pop() if len(states) == 1 else "P", total.quantize(Decimal("0.01")), ordered)
        clerk = f"Clerk#{draw.number(1, 100):09}"
        orders.append((key, customer, *status, draw.of(_PRIORITIES), clerk, 0, draw.words(6)))
    return orders, items


def _item(draw: _Draws, order: int, line: int, ordered: date) -> tuple[Any, ...]:
    """One row of `lineitem`."""
    part, quantity = draw.number(1, _PARTS), draw.number(1, 50)
    shipped = ordered + timedelta(days=draw.number(1, 121))
    committed, received = ordered + timedelta(days=draw.number(30, 90)), shipped + timedelta(days=draw.number(1, 30))
    flag = draw.of("RA") if received <= _TODAY else "N"
    amounts = (Decimal(quantity), quantity * _price(part), draw.cents(0, 10), draw.cents(0, 8))
    state = (flag, "O" if shipped > _TODAY else "F", shipped, committed, received)
    supplier = draw.of(_suppliers_of(part))
    return order, part, supplier, line, *amounts, *state, draw.of(_INSTRUCTIONS), draw.of(_MODES), draw.words(4)


def _buyers() -> _Rows:
    draw = _Draws("sales_customers")
    for key in range(_BUYERS):
        (first, last), (city, country, continent, *_) = draw.name(), draw.of(_CITIES)
        mail, street = f"{first}.{last}{key}@example.com".lower(), f"{draw.number(1, 999)} {draw.words(1)} Street"
        place = (street, city, city, country, continent, draw.number(10000, 99999))
        yield 2000000 + key, first, last, mail, draw.phone(key % 80), *place, draw.of(("female", "male"))


def _franchises() -> _Rows:
    draw = _Draws("sales_franchises")
    for key in range(_FRANCHISES):
        city, country, _, longitude, latitude = _CITIES[key % len(_CITIES)]
        names = (f"{draw.of(_PRODUCTS).split()[0]} Corner {key + 1}", city, f"{city} Centre", str(draw.of(_ZIPS)))
        size = draw.of(("L", "M", "S", "XL", "XXL"))
        yield 3000000 + key, *names, country, size, longitude, latitude, 4000000 + draw.number(0, _BAKERS - 1)


def _bakers() -> _Rows:
    draw = _Draws("sales_suppliers")
    for key in range(_BAKERS):
        city, _, continent, longitude, latitude = draw.of(_CITIES)
        ingredient = draw.of(("almonds", "butter", "cocoa", "flour", "honey", "oats", "sugar", "vanilla"))
        place = (continent, city, f"{city} Centre", draw.of(("L", "M", "S")), longitude, latitude)
        yield 4000000 + key, f"{ingredient.title()} Supply {key + 1}", ingredient, *place, draw.of(("N", "Y", "Y"))


def _sales() -> _Rows:
    draw = _Draws("sales_transactions")
    for key in range(_SALES):
        quantity, price = draw.number(1, 20), 3
        keys = (2000000 + draw.number(0, _BUYERS - 1), 3000000 + draw.number(0, _FRANCHISES - 1))
        sold = (draw.of(_PRODUCTS), quantity, price, quantity * price, draw.of(("amex", "mastercard", "visa")))
        card = 4000000000000000 + draw.number(0, 999999999999)
        yield 1000000 + key, *keys, draw.moment(date(2024, 5, 1), 17), *sold, card


def _opinions() -> _Rows:
    draw = _Draws("media_customer_reviews")
    for key in range(60):
        text = f"The {draw.of(_PRODUCTS)} was {draw.of(('excellent', 'fresh', 'fine', 'dry', 'too sweet'))}."
        yield text, 3000000 + draw.number(0, _FRANCHISES - 1), draw.moment(date(2024, 5, 1), 30), key


def _users() -> _Rows:
    draw = _Draws("users")
    for key in range(1, _USERS + 1):
        (first, last), is_business = draw.name(), draw.number(0, 3) == 0
        kind, company = ("business", f"{last} Travel") if is_business else ("individual", None)
        since = date(2023, 1, 1) + timedelta(days=draw.number(0, 700))
        country = draw.of(_CITIES)[1]
        yield (
            key,
            f"{first}.{last}{key}@example.com".lower(),
            f"{first} {last}",
            country,
            kind,
            since,
            is_business,
            company,
        )


def _hosts() -> _Rows:
    draw = _Draws("hosts")
    for key in range(1, _HOSTS + 1):
        first, last = draw.name()
        contact = (f"{first} {last}", f"host{key}@example.com", draw.phone(key))
        state = (draw.number(0, 4) > 0, draw.number(0, 9) > 0, draw.number(30, 50) / 10, draw.of(_CITIES)[1])
        yield key, *contact, *state, date(2022, 1, 1) + timedelta(days=draw.number(0, 1000))


def _destinations() -> _Rows:
    for key, (city, country, *_) in enumerate(_CITIES, 1):
        yield key, city, country, city, city[:2].upper(), f"{city} is a city in {country}."


def _properties() -> _Rows:
    draw = _Draws("properties")
    for key in range(1, _PROPERTIES + 1):
        place, kind, bedrooms = draw.number(1, len(_CITIES)), draw.of(_KINDS), draw.number(1, 5)
        city, _, _, longitude, latitude = _CITIES[place - 1]
        title = (f"{kind.title()} in {city}", f"A {kind} with {bedrooms} bedrooms in {city}.")
        size = (float(draw.number(40, 400)), kind, 2 * bedrooms, bedrooms, draw.number(1, bedrooms))
        where = (latitude + draw.number(-50, 50) / 1000, longitude + draw.number(-50, 50) / 1000)
        yield key, draw.number(1, _HOSTS), place, *title, *size, *where, date(2023, 1, 1) + timedelta(days=key * 7)


@cache
def _stays() -> list[tuple[Any, ...]]:
    """The rows of `bookings`."""
    draw, prices = _Draws("bookings"), [row[5] for row in _properties()]
    found = []
    for key in range(1, _BOOKINGS + 1):
        place, nights = draw.number(1, _PROPERTIES), draw.number(1, 14)
        first, made = date(2025, 1, 1) + timedelta(days=draw.number(0, 364)), draw.moment(date(2024, 10, 1), 90)
        stay = (first, first + timedelta(days=nights), draw.number(1, 6), prices[place - 1] * nights)
        changed = made + timedelta(hours=draw.number(0, 72))
        found.append((key, draw.number(1, _USERS), place, *stay, draw.of(_STATES), made, changed))
    return found


def _updates() -> _Rows:
    """Each booking as it was made, and once more as it is."""
    for number, row in enumerate(_stays()):
        *stay, _, made, changed = row
        yield 2 * number + 1, *stay, "pending", made, made
        yield 2 * number + 2, *row[:-2], made, changed


def _payments() -> _Rows:
    draw = _Draws("payments")
    paid = [row for row in _stays() if row[7] != "pending"]
    for key, row in enumerate(paid, 1):
        state = "refunded" if row[7] == "cancelled" else "completed"
        yield key, row[0], row[6], draw.of(("bank_transfer", "credit_card", "paypal")), state, row[9]


def _reviews() -> _Rows:
    draw = _Draws("reviews")
    done = [row for row in _stays() if row[7] == "completed"]
    for key, row in enumerate(done, 1):
        text = f"The stay was {draw.of(('quiet', 'lovely', 'fine', 'noisy', 'too cold'))}."
        written = draw.moment(row[4], 20)
        yield key, row[0], row[2], row[1], float(draw.number(1, 5)), text, draw.number(0, 19) == 0, written, written


def _equipment() -> _Rows:
    draw = _Draws("property_amenities")
    for key in range(1, _PROPERTIES + 1):
        yield from ((key, amenity) for amenity in range(1, len(_AMENITIES) + 1) if draw.number(0, 1))


def _clicks() -> _Rows:
    """Events of users on the pages of properties: a view before each booking, and another event."""
    draw = _Draws("clickstream")
    for row in _stays():
        metadata = {
            "device": draw.of(("desktop", "mobile", "tablet")),
            "referrer": draw.of(("ad", "direct", "email", "google")),
        }
        before = row[8] - timedelta(minutes=draw.number(1, 20000))
        yield row[1], row[2], "view", before, metadata
        other = draw.of(("click", "filter", "search"))
        yield row[1], draw.number(1, _PROPERTIES), other, before + timedelta(seconds=draw.number(1, 900)), metadata


def _tickets() -> _Rows:
    draw = _Draws("customer_support_logs")
    for key in range(1, 41):
        asked = draw.moment(date(2025, 1, 1), 300)
        answered = asked + timedelta(minutes=draw.number(1, 600))
        questions = ("How do I cancel my booking?", "The heating does not work.", "Thank you for the quick help!")
        texts = (draw.of(questions), "We have passed this on to the host.")
        moods = (draw.of(("negative", "neutral", "positive")), "neutral")
        parts = zip(texts, ("user", "agent"), moods, (asked, answered), strict=True)
        messages = [
            {"message": text, "sender": sender, "sentiment": mood, "timestamp": f"{moment:%Y-%m-%dT%H:%M:%S}"}
            for text, sender, mood, moment in parts
        ]
        agent = f"agent-{draw.number(1, 9)}"
        yield f"{asked:%Y-%m-%dT%H:%M:%S}", messages, agent, f"ticket-{key:04}", draw.number(1, _USERS)


def _staff() -> _Rows:
    draw = _Draws("employees")
    countries = [row[7] for row in _hosts()]
    for key in range(1, 2 * _HOSTS + 1):
        (first, last), host = draw.name(), draw.number(1, _HOSTS)
        role, left = draw.of(("chef", "cleaner", "concierge", "gardener")), draw.number(0, 3) == 0
        contact = (f"{first} {last}", role, f"{first}.{last}{key}@example.com".lower(), draw.phone(key))
        joined = date(2022, 1, 1) + timedelta(days=draw.number(0, 1000))
        until = joined + timedelta(days=draw.number(30, 300)) if left else None
        yield key, host, *contact, countries[host - 1], joined, until, not left


def _images() -> _Rows:
    draw, key = _Draws("property_images"), 0
    for row in _properties():
        for number in range(1, draw.number(1, 4) + 1):
            key += 1
            url = f"https://example.com/properties/{row[0]}/{number}.jpg"
            yield key, row[0], url, number, number == 1, row[-1]


_ROWS: Mapping[str, Callable[[], _Rows]] = {
    "trips": _trips,
    "media_customer_reviews": _opinions,
    "sales_customers": _buyers,
    "sales_franchises": _franchises,
    "sales_suppliers": _bakers,
    "sales_transactions": _sales,
    "amenities": lambda: ((key, name, kind, name.lower()) for key, (name, kind) in enumerate(_AMENITIES, 1)),
    "booking_updates": _updates,
    "bookings": lambda: iter(_stays()),
    "clickstream": _clicks,
    "customer_support_logs": _tickets,
    "destinations": _destinations,
    "employees": _staff,
    "hosts": _hosts,
    "payments": _payments,
    "properties": _properties,
    "property_amenities": _equipment,
    "property_images": _images,
    "reviews": _reviews,
    "users": _users,
    "customer": _customers,
    "lineitem": lambda: iter(_orders_and_items()[1]),
    "nation": _nations,
    "orders": lambda: iter(_orders_and_items()[0]),
    "part": _parts,
    "partsupp": _parts_of_suppliers,
    "region": _regions,
    "supplier": _suppliers,
}
